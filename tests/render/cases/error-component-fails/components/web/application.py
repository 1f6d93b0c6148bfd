from typing import Optional, TypedDict

import pulumi


class ApplicationArgs(TypedDict):
    image: pulumi.Input[str]


class Application(pulumi.ComponentResource):
    def __init__(
        self, name: str, args: ApplicationArgs, opts: Optional[pulumi.ResourceOptions] = None
    ) -> None:
        super().__init__("web:index:Application", name, {}, opts)
        raise ValueError("an image has a tag")
