/**
 * A command that reports a first host to the service at the URL `origin`. It is an example that the operator can repeat with other amounts.
 * `incarnation` is a new UUID that identifies the reporter.
 */
export function firstHostCommand(origin: string, incarnation: string): string {
  const mutation = 'mutation ($input: UpdateResourceStatsInput!) { updateResourceStats(input: $input) { appliedCount } }'
  const report = { vcpus: 64, vcpusUsed: 8, memoryMb: 262_144, memoryMbUsed: 32_768, localGb: 2_000, localGbUsed: 100 }
  const update = { name: { host: 'cmp-0001' }, reporter: { incarnation, sequence: 1 }, report: { full: report } }
  const body = `{"query": "${mutation}",
      "variables": {"input": {"updates": [${JSON.stringify(update)}]}}}`
  return `curl -s ${origin}/graphql \\
  -H "authorization: Bearer $GANTT_KEY" -H 'content-type: application/json' \\
  -d '${body}'`
}

/** Creates a UUID without `crypto.randomUUID`, which browsers offer only to pages from https or localhost. */
export function newUuid(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16))
  bytes[6] = ((bytes[6] ?? 0) & 0x0f) | 0x40
  bytes[8] = ((bytes[8] ?? 0) & 0x3f) | 0x80
  const hex = Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('')
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join('-')
}
