// Kinds of code: the program's own, that of libraries, of the runtime of its
// language, of the kernel; and what is unknown, which has no hue.

const kindHues = new Map([
  ["own", 140],
  ["library", 210],
  ["runtime", 265],
  ["kernel", 30],
]);

const kernelBinary = /^\[(guest\.)?kernel|^vmlinux|^bzImage|\.ko(\.[gx]z|\.zst)?$/;
const runtimeBinary =
  /^(ld|ld-linux.*|libc|libpthread|libgcc_s|libstdc\+\+|libjvm|libcoreclr)[-.\d]*\.so/;
const runtimeName = /^(internal\/)?runtime([./]|$)/;
const libraryBinary = /\.so(\.|$)|\.dylib$|\.dll$|^\[vdso\]$|^\[vsyscall\]$/i;
const libraryFile =
  /(^|\/)(usr\/(include|lib|share)|pkg\/mod|vendor|site-packages|node_modules|\.cargo\/registry|rustc)\//;

function kindOfName(profile, k) {
  const path = profile.binaries[profile.binaryOf[k] - 1] || "";
  const binary = path.slice(path.lastIndexOf("/") + 1);
  const file = profile.files[profile.fileOf[k] - 1] || "";
  if (kernelBinary.test(binary)) return "kernel";
  if (profile.kindOf[k] !== frameKinds.function) return "unknown";
  if (runtimeBinary.test(binary) || runtimeName.test(profile.names[k]))
    return "runtime";
  if (libraryBinary.test(binary) || libraryFile.test(file)) return "library";
  return "own";
}
