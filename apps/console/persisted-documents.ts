import { createHash } from 'node:crypto'
import { Kind, parse, print } from 'graphql'
import { type ESTree, type Plugin, Visitor } from 'vite'
import { readHeader } from './src/lib/service/written.ts'

/** The name of the built file with the text of each GraphQL operation by id. The service reads this file. */
const MANIFEST = 'documents.json'

/**
 * Gives each GraphQL operation of a build an id: `sha256:` and the hash of its text. The built code has this id as `documentId`, and
 * lib/service/wire.ts sends the id to the service. The service finds the text in the file MANIFEST. The argument of `graphql(...)` must be
 * a text without expressions. Fragments of the same file are referenced by their names. The text must begin with the header of the
 * operation (`query Name($variable: Type)`), because in the browser only this header is parsed.
 */
export function persistedDocuments(): Plugin {
  const texts = new Map<string, string>()
  return {
    name: 'persisted-documents',
    apply: 'build',
    enforce: 'post',
    transform: {
      filter: { id: /\/src\/.*\.tsx?$/, code: /\bgraphql\(/ },
      handler(code, file) {
        const found = documentsIn(this.parse(code), file)
        let marked = code
        // replaces the last document first, because a replacement shifts the positions of everything after it
        for (const { text, start, end } of found.reverse()) {
          const id = `sha256:${createHash('sha256').update(text).digest('hex')}`
          texts.set(id, text)
          marked = `${marked.slice(0, start)}Object.assign(${marked.slice(start, end)}, { documentId: '${id}' })${marked.slice(end)}`
        }
        // the replacement keeps line numbers, so it needs no source map
        return { code: marked, map: null }
      },
    },
    generateBundle() {
      const source = JSON.stringify(Object.fromEntries([...texts].sort()))
      this.emitFile({ type: 'asset', fileName: MANIFEST, source })
    },
  }
}

interface FoundDocument {
  /** The text of the operation with its fragments, as `print` of graphql-js writes it. */
  readonly text: string
  readonly start: number
  readonly end: number
}

/** The operations in a module, in the order of the module. Fragments are not returned, because they are part of the operations. */
function documentsIn(program: ESTree.Program, file: string): FoundDocument[] {
  const calls: { readonly node: ESTree.CallExpression; readonly text: string; readonly fragments: readonly string[] }[] = []
  const texts = new Map<string, string>()
  const fail = (what: string): never => {
    throw new Error(`${file}: graphql(...) takes ${what}, so that the operation has one text when it is built`)
  }
  const named = (element: ESTree.ArrayExpressionElement): string =>
    element?.type === 'Identifier' ? element.name : fail('its fragments by their names')
  new Visitor({
    CallExpression(node) {
      if (node.callee.type !== 'Identifier' || node.callee.name !== 'graphql') return
      const [given, fragments] = node.arguments
      const text = given === undefined ? undefined : textOf(given)
      if (text === undefined) return fail('one text without expressions')
      if (fragments !== undefined && fragments.type !== 'ArrayExpression') return fail('its fragments as a list')
      calls.push({ node, text, fragments: fragments?.elements.map(named) ?? [] })
    },
    'VariableDeclarator:exit'({ id, init }) {
      const last = calls.at(-1)
      if (id.type === 'Identifier' && last !== undefined && last.node === init) texts.set(id.name, last.text)
    },
  }).visit(program)
  return calls.flatMap(({ node: { start, end }, text, fragments }) => {
    const whole = [text, ...fragments.map((name) => texts.get(name) ?? fail(`fragments of its own file; ${name} is not one of them`))]
    const document = parse(whole.join('\n'))
    const operation = document.definitions.find((definition) => definition.kind === Kind.OPERATION_DEFINITION)
    const { kind, name, takesMoment } = readHeader(text) ?? {}
    if (
      kind !== operation?.operation ||
      name !== operation?.name?.value ||
      takesMoment !== operation?.variableDefinitions?.some(({ variable }) => variable.name.value === 'at')
    )
      return fail('an operation that begins with its header')
    return operation === undefined ? [] : [{ text: print(document), start, end }]
  })
}

function textOf(node: ESTree.Argument): string | undefined {
  if (node.type === 'Literal') return typeof node.value === 'string' ? node.value : undefined
  if (node.type !== 'TemplateLiteral' || node.expressions.length > 0) return undefined
  return node.quasis.map(({ value }) => value.cooked).join('')
}
