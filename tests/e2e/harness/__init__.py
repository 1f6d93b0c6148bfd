"""A local Argo CD on a real Kubernetes API: ordinary processes on loopback, nothing installed.

There is no kubelet and no scheduler. What kubelet would do for the pod of
`argocd-repo-server` is done by `repo_server_pod`, from the Deployment as the API server
holds it, so that a wrong patch fails here as it would in a cluster.
"""
