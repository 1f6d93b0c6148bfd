import pulumi_kubernetes as k8s

k8s.helm.v4.Chart("issuers", chart="./issuers", namespace="system", skip_crds=True)
k8s.yaml.v2.ConfigGroup(
    "monitors",
    yaml="""
apiVersion: monitoring.coreos.com/v1
kind: ServiceMonitor
metadata: {name: web}
spec: {endpoints: [{port: http}]}
""",
)
