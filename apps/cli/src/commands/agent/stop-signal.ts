/** Aborted by the first SIGTERM or SIGINT; a second one ends the process as ever. */
export function stopped(): AbortSignal {
  const stop = new AbortController()
  for (const signal of ['SIGTERM', 'SIGINT'] as const) process.once(signal, () => stop.abort(new Error(signal)))
  return stop.signal
}
