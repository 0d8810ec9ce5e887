/**
 * State and status in the API's words, each with a glyph. + means that the host accepts new instances, x that it does not, ~ that this is
 * uncertain.
 */
export function HostState({ state, status }: { readonly state: string; readonly status: string }) {
  return (
    <>
      <Word word={state} /> <Word word={status} />
    </>
  )
}

function Word({ word }: { readonly word: string }) {
  const tone = toneOf(word)
  return (
    <span className="host-word" data-tone={tone}>
      <span aria-hidden>{glyphs[tone]} </span>
      {word.toLowerCase()}
    </span>
  )
}

const tones: Readonly<Record<string, 'good' | 'doubtful'>> = { UP: 'good', ENABLED: 'good', SUSPECT: 'doubtful', DRAINING: 'doubtful' }

/** The colour of a state or status. */
export const toneOf = (word: string): keyof typeof glyphs => tones[word] ?? 'bad'

export const glyphs = { good: '+', doubtful: '~', bad: 'x' } as const

/** True if the host accepts new instances, by its state and status. */
export const isOpen = ({ state, status }: { readonly state: string; readonly status: string }): boolean =>
  state === 'UP' && status === 'ENABLED'
