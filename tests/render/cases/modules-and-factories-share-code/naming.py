import pulumi


def labels(name: str) -> dict[str, str]:
    return {
        "app.kubernetes.io/name": name,
        "app.kubernetes.io/part-of": pulumi.get_project(),
        "app.kubernetes.io/instance": f"{name}-{pulumi.get_stack()}",
    }
