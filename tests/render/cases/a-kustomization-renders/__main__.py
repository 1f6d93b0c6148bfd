import pulumi_kubernetes as k8s


def annotate(obj, opts):
    obj["metadata"].setdefault("annotations", {})["through"] = "pulumi"


k8s.kustomize.Directory("shop", directory="./app/overlay", transformations=[annotate])
