import pulumi
import pulumi_kubernetes as k8s

login = k8s.core.v1.Secret("login", data={"password": "aHVudGVyMi1odW50ZXIy"})
k8s.core.v1.ConfigMap("settings", data={"copy": login.data["password"]})
