import pulumi_kubernetes as k8s

ROWS = 6000
table = "".join(f"{n:06d},{n * n % 7919},row number {n}\n" for n in range(ROWS))
k8s.core.v1.ConfigMap("table", data={"table.csv": table, "one-line": "x" * 100_000})
k8s.core.v1.ConfigMap("keys", data={f"key-{n:04d}": str(n) for n in range(500)})
