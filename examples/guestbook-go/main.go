// The guestbook's front end: a Deployment and the Service in front of it.
package main

import (
	appsv1 "github.com/pulumi/pulumi-kubernetes/sdk/v4/go/kubernetes/apps/v1"
	corev1 "github.com/pulumi/pulumi-kubernetes/sdk/v4/go/kubernetes/core/v1"
	metav1 "github.com/pulumi/pulumi-kubernetes/sdk/v4/go/kubernetes/meta/v1"
	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"
	"github.com/pulumi/pulumi/sdk/v3/go/pulumi/config"
)

func main() {
	pulumi.Run(func(ctx *pulumi.Context) error {
		replicas := config.New(ctx, "").GetInt("replicas")
		if replicas == 0 {
			replicas = 1
		}
		labels := pulumi.StringMap{"app": pulumi.String("guestbook-ui")}

		_, err := appsv1.NewDeployment(ctx, "guestbook-ui", &appsv1.DeploymentArgs{
			Spec: appsv1.DeploymentSpecArgs{
				Replicas: pulumi.Int(replicas),
				Selector: &metav1.LabelSelectorArgs{MatchLabels: labels},
				Template: &corev1.PodTemplateSpecArgs{
					Metadata: &metav1.ObjectMetaArgs{Labels: labels},
					Spec: &corev1.PodSpecArgs{
						Containers: corev1.ContainerArray{
							corev1.ContainerArgs{
								Name:  pulumi.String("guestbook-ui"),
								Image: pulumi.String("gcr.io/google-samples/gb-frontend:v5"),
								Ports: corev1.ContainerPortArray{
									corev1.ContainerPortArgs{ContainerPort: pulumi.Int(80)},
								},
							},
						},
					},
				},
			},
		})
		if err != nil {
			return err
		}

		service, err := corev1.NewService(ctx, "guestbook-ui", &corev1.ServiceArgs{
			Spec: &corev1.ServiceSpecArgs{
				Selector: labels,
				Ports: corev1.ServicePortArray{
					corev1.ServicePortArgs{Port: pulumi.Int(80), TargetPort: pulumi.Int(80)},
				},
			},
		})
		if err != nil {
			return err
		}

		ctx.Export("service", service.Metadata.Name())
		return nil
	})
}
