import pulumi


class Application(pulumi.ComponentResource):
    def __init__(self, name, image):
        super().__init__("web:index:Application", name, {"image": image}, None, remote=True)


Application("shop", "nginx")
