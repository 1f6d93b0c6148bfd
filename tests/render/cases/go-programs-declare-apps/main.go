package main

import (
	"fmt"

	appsv1 "github.com/pulumi/pulumi-kubernetes/sdk/v4/go/kubernetes/apps/v1"
	corev1 "github.com/pulumi/pulumi-kubernetes/sdk/v4/go/kubernetes/core/v1"
	metav1 "github.com/pulumi/pulumi-kubernetes/sdk/v4/go/kubernetes/meta/v1"
	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"
	"github.com/pulumi/pulumi/sdk/v3/go/pulumi/config"
)

type app struct {
	Name     string
	Image    string
	Replicas int
	Env      map[string]string
}

func main() {
	pulumi.Run(func(ctx *pulumi.Context) error {
		settings := config.New(ctx, "")
		var apps []app
		settings.RequireObject("apps", &apps)
		namespace, err := corev1.NewNamespace(ctx, "shop", &corev1.NamespaceArgs{
			Metadata: &metav1.ObjectMetaArgs{Name: pulumi.String("shop")},
		})
		if err != nil {
			return err
		}
		for _, app := range apps {
			url, err := declare(ctx, namespace, app)
			if err != nil {
				return err
			}
			ctx.Export(app.Name, url)
		}
		_, err = corev1.NewSecret(ctx, "login", &corev1.SecretArgs{
			StringData: pulumi.StringMap{
				"password": settings.RequireSecret("password"),
				"url":      pulumi.Sprintf("db://%s@host", settings.RequireSecret("password")),
			},
		})
		return err
	})
}

func declare(ctx *pulumi.Context, namespace *corev1.Namespace, app app) (pulumi.StringOutput, error) {
	labels := pulumi.StringMap{"app": pulumi.String(app.Name)}
	metadata := &metav1.ObjectMetaArgs{Namespace: namespace.Metadata.Name(), Labels: labels}
	env := corev1.EnvVarArray{}
	for _, name := range []string{"LEVEL", "MODE"} {
		if value, ok := app.Env[name]; ok {
			env = append(env, &corev1.EnvVarArgs{Name: pulumi.String(name), Value: pulumi.String(value)})
		}
	}
	deployment, err := appsv1.NewDeployment(ctx, app.Name, &appsv1.DeploymentArgs{
		Metadata: metadata,
		Spec: &appsv1.DeploymentSpecArgs{
			Replicas: pulumi.Int(app.Replicas),
			Selector: &metav1.LabelSelectorArgs{MatchLabels: labels},
			Template: &corev1.PodTemplateSpecArgs{
				Metadata: &metav1.ObjectMetaArgs{Labels: labels},
				Spec: &corev1.PodSpecArgs{
					Containers: corev1.ContainerArray{&corev1.ContainerArgs{
						Name:  pulumi.String("app"),
						Image: pulumi.String(app.Image),
						Env:   env,
						Ports: corev1.ContainerPortArray{
							&corev1.ContainerPortArgs{ContainerPort: pulumi.Int(8080)},
						},
					}},
				},
			},
		},
	}, pulumi.Protect(true), pulumi.IgnoreChanges([]string{"spec.replicas", "spec.template.spec.containers[*].image"}))
	if err != nil {
		return pulumi.StringOutput{}, err
	}
	service, err := corev1.NewService(ctx, app.Name, &corev1.ServiceArgs{
		Metadata: metadata,
		Spec: &corev1.ServiceSpecArgs{
			Selector: deployment.Spec.Template().Metadata().Labels(),
			Ports: corev1.ServicePortArray{&corev1.ServicePortArgs{
				Port:       pulumi.Int(80),
				TargetPort: pulumi.Any(8080),
			}},
		},
	}, pulumi.DependsOn([]pulumi.Resource{deployment}))
	if err != nil {
		return pulumi.StringOutput{}, err
	}
	return pulumi.All(service.Metadata.Name(), namespace.Metadata.Name()).ApplyT(
		func(names []interface{}) string {
			return fmt.Sprintf("%s.%s", *names[0].(*string), *names[1].(*string))
		}).(pulumi.StringOutput), nil
}
