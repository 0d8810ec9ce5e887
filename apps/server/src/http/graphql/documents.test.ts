import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createDocumentTexts } from './document-cache.ts'
import { type Documents, readDocuments } from './documents.ts'
import { createBodies } from './limits/bodies.ts'
import { readParams } from './limits/body.ts'
import { toFault } from './masking.ts'

const ID = `sha256:${'0'.repeat(64)}`
const TEXT = 'query Viewer{viewer{account}}'

describe('operations that are sent by their ids', () => {
  let folder: string
  let documents: Documents
  let server: Server
  let base: string

  beforeAll(async () => {
    folder = await mkdtemp(path.join(tmpdir(), 'gantt-documents-'))
    await writeFile(path.join(folder, 'documents.json'), JSON.stringify({ [ID]: TEXT }))
    documents = await readDocuments(folder)
    server = createServer((request, response) => {
      void readParams(request, documents, createDocumentTexts(), createBodies().begin('key')).then(
        (params) => response.end(JSON.stringify(params)),
        (error: unknown) => {
          const { extensions } = toFault(error)
          response.writeHead((extensions.http as { status: number }).status).end(JSON.stringify(extensions))
        },
      )
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  })

  afterAll(async () => {
    await new Promise((resolve) => server.close(resolve))
    await rm(folder, { recursive: true })
  })

  const send = async (body: unknown) => {
    const response = await fetch(base, { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) })
    return { status: response.status, body: (await response.json()) as Record<string, unknown> }
  }

  test('an id is replaced by its text; the operation name and the variables stay', async () => {
    const { status, body } = await send({ documentId: ID, operationName: 'Viewer', variables: { a: 1 } })
    expect([status, body]).toEqual([200, { query: TEXT, operationName: 'Viewer', variables: { a: 1 } }])
  })

  test.each([
    ['that nobody wrote', `sha256:${'1'.repeat(64)}`],
    ['that is a property of every object', '__proto__'],
    ['that is not text', 7],
    ['that is null', null],
  ])('a call with the unknown id %s is answered with a request to send the text', async (_name, documentId) => {
    const { status, body } = await send({ documentId })
    expect([status, body.code]).toEqual([404, 'PERSISTED_DOCUMENT_NOT_FOUND'])
    expect(body.allowed).toMatch(/^the id of one of the 1 operations of this service’s own console, or of a document that was sent/)
  })

  test('a call with both an id and a text is refused, because the two may differ', async () => {
    const { status, body } = await send({ documentId: ID, query: TEXT })
    expect([status, body.code, body.path]).toEqual([400, 'GRAPHQL_VALIDATION_FAILED', ['documentId']])
  })

  test('if the console was not built, no operation has an id', async () => {
    expect(await readDocuments(path.join(folder, 'nowhere'))).toEqual(new Map())
  })
})
