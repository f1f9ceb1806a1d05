# nix-build -E 'with import <nixpkgs> {}; callPackage ./blorc-denoise.nix {}'
{ lib, stdenvNoCC, fetchurl, installShellFiles }:

let
  version = "{{.Version}}";
  sources = {
    x86_64-linux = { target = "linux_amd64"; sha256 = "{{index .Sums "linux/amd64"}}"; };
    aarch64-linux = { target = "linux_arm64"; sha256 = "{{index .Sums "linux/arm64"}}"; };
    x86_64-darwin = { target = "darwin_amd64"; sha256 = "{{index .Sums "darwin/amd64"}}"; };
    aarch64-darwin = { target = "darwin_arm64"; sha256 = "{{index .Sums "darwin/arm64"}}"; };
  };
  system = stdenvNoCC.hostPlatform.system;
  source = sources.${system} or (throw "blorc-denoise has no program for ${system}");
in
stdenvNoCC.mkDerivation {
  pname = "blorc-denoise";
  inherit version;

  src = fetchurl {
    url = "{{.Repository}}/releases/download/v${version}/blorc-denoise_${version}_${source.target}.tar.gz";
    inherit (source) sha256;
  };

  nativeBuildInputs = [ installShellFiles ];
  dontBuild = true;
  dontStrip = true; # the program of macOS is signed

  installPhase = ''
    runHook preInstall
    install -Dm755 blorc-denoise -t $out/bin
    installManPage man/*.1
    installShellCompletion --bash --name blorc-denoise completions/blorc-denoise.bash
    installShellCompletion --fish completions/blorc-denoise.fish
    installShellCompletion --zsh completions/_blorc-denoise
    mkdir -p $out/share/blorc-denoise $out/share/doc/blorc-denoise
    cp -r contrib $out/share/blorc-denoise/
    cp LICENSE THIRD_PARTY_LICENSES.txt $out/share/doc/blorc-denoise/
    runHook postInstall
  '';

  meta = {
    description = "Removes noise from image files";
    homepage = "{{.Repository}}";
    license = lib.licenses.mit;
    mainProgram = "blorc-denoise";
    platforms = builtins.attrNames sources;
    sourceProvenance = [ lib.sourceTypes.binaryNativeCode ];
  };
}
