# Homebrew formula of packtool {{version}}. Linux on x86_64 takes the portable folder; all others build from source.
# Untested: nobody has run it with Homebrew or on macOS.
class Packtool < Formula
  desc "Versioned, signed web packages for apps, updated over the air"
  homepage "{{downloads}}"
  url "{{downloads}}/packtool-{{version}}.tar.gz"
  sha256 "{{source-sha256}}"
  license "Apache-2.0"

  on_linux do
    on_intel do
      url "{{downloads}}/{{portable}}"
      sha256 "{{portable-sha256}}"
      depends_on "zstd" => :build
    end
  end

  on_macos do
    depends_on xcode: ["26.0", :build]
    depends_on "pkgconf" => :build
    depends_on "libarchive"
    depends_on "libdeflate"
    depends_on "libpq"
    depends_on "zopfli"
    depends_on "zstd"
  end

  def install
    if File.exist?("bin/packtool")
      libexec.install "bin", "lib"
      bin.install_symlink libexec/"bin/packtool"
      man1.install Dir["share/man/man1/*.1"]
      bash_completion.install "share/bash-completion/completions/packtool"
      zsh_completion.install "share/zsh/vendor-completions/_packtool"
      fish_completion.install "share/fish/vendor_completions.d/packtool.fish"
    else
      ENV["PACKTOOL_COMMIT"] = "{{commit}}"
      system "swift", "build", "--disable-sandbox", "-c", "release", "--product", "packtool"
      bin.install ".build/release/packtool"
      generate_completions_from_executable(bin/"packtool", "--generate-completion-script")
    end
  end

  test do
    assert_match version.to_s, shell_output("#{bin}/packtool --version")
    system bin/"packtool", "init", "shop"
    cd("shop") { system bin/"packtool", "build", "dist" }
    assert_path_exists testpath/"shop/packages/shop-1.0.0.zip"
  end
end
