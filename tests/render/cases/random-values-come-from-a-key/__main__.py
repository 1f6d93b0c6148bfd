import pulumi
import pulumi_kubernetes as k8s


class Random(pulumi.CustomResource):
    """A resource as the SDK of the provider registers it."""

    def __init__(self, kind, name, outputs, secret=(), opts=None, **inputs):
        token = f"random:index/random{kind}:Random{kind}"
        marked = pulumi.ResourceOptions(additional_secret_outputs=list(secret))
        opts = pulumi.ResourceOptions.merge(opts, marked)
        super().__init__(token, name, {**inputs, **dict.fromkeys(outputs)}, opts)


SECRET = ("result", "bcryptHash")
password = Random("Password", "password", SECRET, SECRET, length=16, minSpecial=2)
rotated = Random("Password", "rotated", SECRET, SECRET, length=16, keepers={"year": "2026"})
renamed = Random(
    "Password",
    "login",
    SECRET,
    SECRET,
    length=16,
    minSpecial=2,
    opts=pulumi.ResourceOptions(aliases=[pulumi.Alias(name="password")]),
)
key = Random("Bytes", "key", ("base64", "hex"), ("base64", "hex"), length=8)
suffix = Random("Id", "suffix", ("hex", "dec", "b64Std", "b64Url"), byteLength=4, prefix="web-")
port = Random("Integer", "port", ("result",), min=30000, max=32767)
zones = Random("Shuffle", "zones", ("results",), inputs=["a", "b", "c"], resultCount=2)
token = Random("String", "token", ("result",), length=8, special=False, upper=False)
pet = Random("Pet", "pet", (), length=2)
ids = [Random(kind, "id", ("result",)) for kind in ("Uuid", "Uuid4", "Uuid7")]

k8s.core.v1.Secret(
    "login",
    metadata={"name": "login"},
    string_data={
        "password": password.result,
        "htpasswd": pulumi.Output.concat("admin:", password.bcryptHash),
        "rotated": rotated.result,
        "renamed": renamed.result,
        "key": key.hex,
    },
)
k8s.core.v1.ConfigMap(
    "settings",
    metadata={"name": suffix.hex},
    data={
        "id": suffix.id,
        "dec": suffix.dec,
        "port": port.result.apply(lambda number: str(int(number))),
        "zones": zones.results.apply(",".join),
        "token": token.result,
        "pet": pet.id,
        "ids": pulumi.Output.all(*[one.result for one in ids]).apply(" ".join),
    },
)
