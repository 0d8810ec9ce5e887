import './json.css'

/** A document as it is, with its own scrollbar. */
export function Json({ text }: { readonly text: string }) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, so the keyboard has to get into it
    <pre className="json" tabIndex={0}>
      {text}
    </pre>
  )
}
