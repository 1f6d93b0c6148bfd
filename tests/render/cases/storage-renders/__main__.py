import pulumi
import pulumi_kubernetes as k8s

fast = k8s.storage.v1.StorageClass(
    "fast",
    provisioner="ebs.csi.aws.com",
    parameters={"type": "gp3", "iops": "4000"},
    reclaim_policy="Retain",
    volume_binding_mode="WaitForFirstConsumer",
    allow_volume_expansion=True,
    mount_options=["noatime"],
)
volume = k8s.core.v1.PersistentVolume(
    "archive",
    spec=k8s.core.v1.PersistentVolumeSpecArgs(
        capacity={"storage": "100Gi"},
        access_modes=["ReadWriteMany"],
        persistent_volume_reclaim_policy="Retain",
        storage_class_name="",
        nfs=k8s.core.v1.NFSVolumeSourceArgs(server="10.1.1.1", path="/exports", read_only=True),
    ),
)
claims = [
    k8s.core.v1.PersistentVolumeClaim(
        "archive",
        spec={
            "accessModes": volume.spec.access_modes,
            "storageClassName": "",
            "volumeName": volume.metadata.name,
            "resources": {"requests": volume.spec.capacity},
        },
    ),
    k8s.core.v1.PersistentVolumeClaim(
        "scratch",
        metadata={"annotations": {"pulumi.com/skipAwait": "true"}},
        spec={
            "accessModes": ["ReadWriteOnce"],
            "storageClassName": fast.metadata.name,
            "volumeMode": "Filesystem",
            "resources": {"requests": {"storage": "1Ti"}},
        },
    ),
]
k8s.core.v1.Pod(
    "reader",
    spec={
        "containers": [
            {
                "name": "reader",
                "image": "busybox",
                "volumeMounts": [
                    {"name": f"volume-{i}", "mountPath": f"/mnt/{i}", "readOnly": i == 0}
                    for i in range(len(claims))
                ],
            }
        ],
        "volumes": [
            {
                "name": f"volume-{i}",
                "persistentVolumeClaim": {"claimName": claim.metadata.name},
            }
            for i, claim in enumerate(claims)
        ],
    },
    opts=pulumi.ResourceOptions(depends_on=claims),
)
