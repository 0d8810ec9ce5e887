/** A signal that the first SIGTERM or SIGINT aborts. The second one ends the process at once, which is the default. */
export function stopped(): AbortSignal {
  const stop = new AbortController()
  for (const signal of ['SIGTERM', 'SIGINT'] as const) process.once(signal, () => stop.abort(new Error(signal)))
  return stop.signal
}
