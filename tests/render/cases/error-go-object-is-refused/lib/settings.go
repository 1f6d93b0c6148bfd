package lib

import (
	corev1 "github.com/pulumi/pulumi-kubernetes/sdk/v4/go/kubernetes/core/v1"
	metav1 "github.com/pulumi/pulumi-kubernetes/sdk/v4/go/kubernetes/meta/v1"
	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"
)

func Settings(ctx *pulumi.Context, name string) error {
	_, err := corev1.NewConfigMap(ctx, name, &corev1.ConfigMapArgs{
		Metadata: metav1.ObjectMetaArgs{Labels: pulumi.StringMap{
			"key": pulumi.ToSecret(pulumi.String("hunter2-secret")).(pulumi.StringOutput),
		}},
	})
	return err
}
