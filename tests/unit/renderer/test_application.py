"""What Argo CD says about an Application."""

import pytest

from plugin_image.renderer.application import kube_version, without_credentials


@pytest.mark.parametrize(
    ("url", "shown"),
    [
        ("https://git.example.com/a.git", "https://git.example.com/a.git"),
        ("https://robot:canary@git.example.com/a.git", "https://git.example.com/a.git"),
        ("https://canary@git.example.com/a.git", "https://git.example.com/a.git"),
        ("https://git.example.com/a.git?token=canary#x", "https://git.example.com/a.git"),
        ("HTTPS://a:canary@b@git.example.com/a", "HTTPS://git.example.com/a"),
        ("ssh://git@git.example.com/a.git", "ssh://git@git.example.com/a.git"),
        ("ssh://git:canary@git.example.com/a.git", "ssh://git@git.example.com/a.git"),
        ("ssh://git:can@ary@git.example.com/a@b.git", "ssh://git@git.example.com/a@b.git"),
        ("ssh://git:can:ary@git.example.com:22/a.git", "ssh://git@git.example.com:22/a.git"),
        ("ssh://git.example.com:22/a@b.git", "ssh://git.example.com:22/a@b.git"),
        ("git@git.example.com:team/a.git", "git@git.example.com:team/a.git"),
        ("git:canary@git.example.com:team/a.git", "git@git.example.com:team/a.git"),
        ("git:can@a/ry@git.example.com:team/a.git", "git@git.example.com:team/a.git"),
        ("git.example.com:team/a@b.git", "git.example.com:team/a@b.git"),
        ("file:///srv/git/a", "file:///srv/git/a"),
        ("", ""),
    ],
)
def test_an_address_is_shown_without_credentials(url: str, shown: str) -> None:
    assert without_credentials(url) == shown


@pytest.mark.parametrize(
    ("said", "version"),
    [
        ("1.34", "1.34"),
        ("1.29+", "1.29"),
        ("1.34.2", "1.34.2"),
        ("v1.34.2", "1.34.2"),
        ("v1.34.2+k3s1", "1.34.2"),
        ("v1.29.5-gke.100", "1.29.5"),
        ("v1.28.3-eks-4f4795d", "1.28.3"),
        ("", "1.34.0"),
        ("latest", "latest"),
    ],
)
def test_a_version_of_kubernetes_is_what_helm_compares(said: str, version: str) -> None:
    assert kube_version({"KUBE_VERSION": said}) == version
