/** For CPU flags in /proc/cpuinfo, the corresponding trait of the os-traits library. */
const X86: Readonly<Record<string, string>> = {
  sse4_1: 'HW_CPU_X86_SSE41',
  sse4_2: 'HW_CPU_X86_SSE42',
  ssse3: 'HW_CPU_X86_SSSE3',
  sse: 'HW_CPU_X86_SSE',
  sse2: 'HW_CPU_X86_SSE2',
  pni: 'HW_CPU_X86_SSE3',
  avx: 'HW_CPU_X86_AVX',
  avx2: 'HW_CPU_X86_AVX2',
  avx512f: 'HW_CPU_X86_AVX512F',
  avx512bw: 'HW_CPU_X86_AVX512BW',
  avx512cd: 'HW_CPU_X86_AVX512CD',
  avx512dq: 'HW_CPU_X86_AVX512DQ',
  avx512vl: 'HW_CPU_X86_AVX512VL',
  avx512_vnni: 'HW_CPU_X86_AVX512VNNI',
  aes: 'HW_CPU_X86_AESNI',
  fma: 'HW_CPU_X86_FMA3',
  f16c: 'HW_CPU_X86_F16C',
  bmi1: 'HW_CPU_X86_BMI',
  bmi2: 'HW_CPU_X86_BMI2',
  sha_ni: 'HW_CPU_X86_SHA',
  pclmulqdq: 'HW_CPU_X86_CLMUL',
  vmx: 'HW_CPU_X86_VMX',
  svm: 'HW_CPU_X86_SVM',
  sgx: 'HW_CPU_X86_SGX',
}

/** The sorted traits for the CPU flags of a machine. Empty if its architecture is not x86_64. */
export const traitsOf = (arch: string, flags: readonly string[]): readonly string[] =>
  arch === 'x86_64' ? flags.flatMap((flag) => X86[flag] ?? []).sort() : []
