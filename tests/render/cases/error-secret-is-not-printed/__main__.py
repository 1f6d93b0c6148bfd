import pulumi
import pulumi_kubernetes as k8s

password = pulumi.Config().require_secret("password")


def show(text):
    print("the password is", text)
    raise RuntimeError(f"cannot use {text}")


password.apply(show)
