/**
 * Where Nova's scheduler would raise: `kind` is the name of its exception class. A filter that meets one refuses the host with the verdict
 * ERROR; subject, need and have say what could not be read.
 */
export class NovaError extends Error {
  override readonly name = 'NovaError'
  readonly kind: string
  readonly subject: string
  readonly need: string
  readonly have: string

  constructor(kind: string, { subject, need, have }: { readonly subject: string; readonly need: string; readonly have: string }) {
    super(`${subject} is ${have}; it must be ${need}`)
    this.kind = kind
    this.subject = subject
    this.need = need
    this.have = have
  }
}
