import pulumi_kubernetes as k8s

web = {"name": "web", "image": "nginx", "ports": [{"containerPort": "80"}]}
k8s.core.v1.Pod("web", spec={"containers": [web], "restartpolicy": "Never"})
