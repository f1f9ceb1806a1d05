package main

import (
	"os"
	"strings"
	"testing"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/yaml"
)

// TestKubernetesSample reads the sample strictly as batch/v1, so that an unknown or misplaced field is an error, and
// checks what the restricted Pod Security Standard asks for.
func TestKubernetesSample(t *testing.T) {
	text, err := os.ReadFile("../contrib/kubernetes/denoise.yaml")
	must(t, err)
	var job batchv1.Job
	must(t, yaml.UnmarshalStrict(text, &job))
	if job.APIVersion != "batch/v1" || job.Kind != "Job" {
		t.Errorf("%s %s", job.APIVersion, job.Kind)
	}
	if job.Spec.CompletionMode == nil || *job.Spec.CompletionMode != batchv1.IndexedCompletion ||
		job.Spec.Completions == nil {
		t.Error("the job is not indexed")
	}
	if job.Spec.BackoffLimitPerIndex == nil || !strings.Contains(string(text), "Kubernetes 1.33") {
		t.Error("the sample does not say which version of Kubernetes backoffLimitPerIndex needs")
	}
	pod := job.Spec.Template.Spec
	if pod.RestartPolicy != corev1.RestartPolicyNever {
		t.Errorf("restart policy %q, but backoffLimitPerIndex needs Never", pod.RestartPolicy)
	}
	s := pod.SecurityContext
	switch {
	case s == nil:
		t.Fatal("no security context of the pod")
	case s.RunAsNonRoot == nil || !*s.RunAsNonRoot:
		t.Error("runAsNonRoot is not set")
	case s.RunAsUser == nil || *s.RunAsUser != nonRoot || s.RunAsGroup == nil || *s.RunAsGroup != nonRoot:
		t.Errorf("the pod does not run as the user of the image, %d", nonRoot)
	case s.SeccompProfile == nil || s.SeccompProfile.Type != corev1.SeccompProfileTypeRuntimeDefault:
		t.Error("seccompProfile is not RuntimeDefault")
	}
	for _, c := range pod.Containers {
		checkContainer(t, c)
	}
}

func checkContainer(t *testing.T, c corev1.Container) {
	t.Helper()
	if !strings.HasPrefix(c.Image, "ghcr.io/blorc-denoise/blorc-denoise:") || strings.HasSuffix(c.Image, ":latest") {
		t.Errorf("image %s", c.Image)
	}
	s := c.SecurityContext
	if s == nil || s.AllowPrivilegeEscalation == nil || *s.AllowPrivilegeEscalation ||
		s.ReadOnlyRootFilesystem == nil || !*s.ReadOnlyRootFilesystem {
		t.Error("privilege escalation or a writable root file system")
	}
	if s == nil || s.Capabilities == nil || len(s.Capabilities.Drop) != 1 || s.Capabilities.Drop[0] != "ALL" ||
		len(s.Capabilities.Add) > 0 {
		t.Error("capabilities are not dropped")
	}
	for _, resource := range []corev1.ResourceName{corev1.ResourceCPU, corev1.ResourceMemory} {
		if c.Resources.Requests.Name(resource, "").IsZero() || c.Resources.Limits.Name(resource, "").IsZero() {
			t.Errorf("no request or limit of %s", resource)
		}
	}
}
