"""The guestbook's front end, from a Helm chart in the same folder."""

import pulumi
import pulumi_kubernetes as k8s

config = pulumi.Config()

k8s.helm.v4.Chart(
    "guestbook",
    chart="./chart",
    values={"replicas": config.get_int("replicas") or 1},
)
