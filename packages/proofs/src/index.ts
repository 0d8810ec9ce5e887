/** Every proof, by the command that runs it. The command line loads this package by its name, and then only the requested proof. */
export const proofs = {
  replay: async () => (await import('./published-figures/command.ts')).addReplay,
  prove: async () => (await import('./promises/command.ts')).addProve,
  'simulate-faults': async () => (await import('./safety-in-simulation/command.ts')).addSimulate,
  loadtest: async () => (await import('./throughput/command.ts')).addLoadtest,
  nemesis: async () => (await import('./safety-under-faults/command.ts')).addNemesis,
  conformance: async () => (await import('./nova-conformance/command.ts')).addConformance,
}
