import './json.css'

/** A document as text, with its own scrollbar. */
export function Json({ text }: { readonly text: string }) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, so it must be reachable with the keyboard
    <pre className="json" tabIndex={0}>
      {text}
    </pre>
  )
}
