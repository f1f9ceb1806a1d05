class BlorcDenoise < Formula
  desc "Removes noise from image files"
  homepage "{{.Repository}}"
  version "{{.Version}}"
  license "MIT"

  on_macos do
    on_arm do
      url "{{.Repository}}/releases/download/v{{.Version}}/blorc-denoise_{{.Version}}_darwin_arm64.tar.gz"
      sha256 "{{index .Sums "darwin/arm64"}}"
    end
    on_intel do
      url "{{.Repository}}/releases/download/v{{.Version}}/blorc-denoise_{{.Version}}_darwin_amd64.tar.gz"
      sha256 "{{index .Sums "darwin/amd64"}}"
    end
  end
  on_linux do
    on_arm do
      url "{{.Repository}}/releases/download/v{{.Version}}/blorc-denoise_{{.Version}}_linux_arm64.tar.gz"
      sha256 "{{index .Sums "linux/arm64"}}"
    end
    on_intel do
      url "{{.Repository}}/releases/download/v{{.Version}}/blorc-denoise_{{.Version}}_linux_amd64.tar.gz"
      sha256 "{{index .Sums "linux/amd64"}}"
    end
  end

  def install
    bin.install "blorc-denoise"
    man1.install Dir["man/*.1"]
    bash_completion.install "completions/blorc-denoise.bash" => "blorc-denoise"
    fish_completion.install "completions/blorc-denoise.fish"
    zsh_completion.install "completions/_blorc-denoise"
    pkgshare.install "contrib"
    doc.install "THIRD_PARTY_LICENSES.txt"
  end

  test do
    assert_match version.to_s, shell_output("#{bin}/blorc-denoise --version")
    system bin/"blorc-denoise", "demo", "-o", "demo", "--size", "96x64"
    assert_path_exists testpath/"demo"
  end
end
