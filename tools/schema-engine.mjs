#!/usr/bin/env node
// Prisma's schema engine in the form that the Prisma command line expects: JSON-RPC, one message per line, on standard input and output.
// The usual engine is a binary from Prisma's own server. This one is the WebAssembly build from npm, which reaches the database through a
// driver adapter. Schemas are compared in a PGlite in memory, never in a database of the user.
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import path from 'node:path'
import { createInterface } from 'node:readline'

const args = process.argv.slice(2)
const firstOf = (name) => valuesOf(name)[0]
const valuesOf = (name) => args.flatMap((arg, index) => (args[index - 1] === name ? [arg] : []))
const databaseUrl = () => JSON.parse(firstOf('--datasource') ?? '{}').url

if (args.includes('--version')) process.stdout.write('schema-engine-cli wasm\n')
else if (args.includes('cli')) process.exitCode = await runDatabaseCommand()
else serve()

// ---------------------------------------------------------------- one-off commands about a whole database

/** `cli can-connect-to-database | create-database | drop-database`: answers with an exit code and a log line. */
async function runDatabaseCommand() {
  const command = ['can-connect-to-database', 'create-database', 'drop-database'].find((one) => args.includes(one))
  const target = new URL(databaseUrl())
  const database = decodeURIComponent(target.pathname.slice(1))
  try {
    const { default: pg } = await import('pg')
    const client = new pg.Client(connectionOf(target, command === 'can-connect-to-database' ? database : 'postgres'))
    await client.connect()
    const name = client.escapeIdentifier(database)
    if (command === 'create-database') await client.query(`CREATE DATABASE ${name}`)
    if (command === 'drop-database') await client.query(`DROP DATABASE IF EXISTS ${name} WITH (FORCE)`)
    await client.end()
    log('INFO', { message: 'ok' })
    return 0
  } catch (error) {
    const prismaCodes = { '3D000': 'P1003', '28P01': 'P1000', 28000: 'P1000' }
    process.stderr.write('\n')
    log('ERROR', { error_code: prismaCodes[error.code] ?? 'P1001', message: error.message || String(error.code), is_panic: false })
    return 1
  }
}

function log(level, fields) {
  const line = { timestamp: new Date().toISOString(), level, target: 'schema_engine::logger', fields }
  process.stderr.write(`${JSON.stringify(line)}\n`)
}

// ---------------------------------------------------------------- JSON-RPC

function serve() {
  let opened
  const open = (needsDatabase) => {
    opened ??= openEngine(needsDatabase)
    return opened
  }
  // Messages are processed one after the other, because the engine has a single connection.
  let queue = Promise.resolve()
  const lines = createInterface({ input: process.stdin, crlfDelay: Number.POSITIVE_INFINITY })
  lines.on('line', (line) => {
    const message = line.trim() === '' ? {} : JSON.parse(line)
    if (message.method) queue = queue.then(() => answer(message, open))
  })
  lines.on('close', () => queue.then(() => process.exit(0)))
}

async function answer({ id, method, params = {} }, open) {
  let adapter
  try {
    const opened = await open(!isOfflineDiff(method, params))
    adapter = opened.adapter
    // The command line still uses the old name of this method.
    const call = method === 'getDatabaseVersion' ? 'version' : method
    if (typeof opened.engine[call] !== 'function') throw new Error(`${method} is not part of the WebAssembly engine`)
    const result = await opened.engine[call](params)
    if (method === 'diff' && result?.stdout) {
      send({ id: 1_000_000 + id, method: 'print', params: { content: result.stdout } })
      result.stdout = null
    }
    send({ id, result: result ?? null })
  } catch (error) {
    const data = { is_panic: false, message: causeOf(error, adapter), error_code: error?.code ?? null, meta: null }
    send({ id, error: { code: 4466, message: 'An error happened. Check the data field for details.', data } })
  }
}

const send = (message) => process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`)

/** True if only files are compared. No database of the user is then needed. */
function isOfflineDiff(method, params) {
  const offline = ['empty', 'schemaDatamodel', 'migrations']
  return method === 'diff' && [params.from, params.to].every((side) => offline.includes(side?.tag))
}

/** The original error of the adapter. The engine reports it as an id under which the adapter stores the error. */
function causeOf(error, adapter) {
  const text = error?.message ?? String(error)
  const number = /^External error:?.*?(\d+)/i.exec(text)?.[1]
  const cause = number === undefined ? undefined : adapter?.errorRegistry?.consumeError(Number(number))?.error
  return cause === undefined ? text : (cause.message ?? JSON.stringify(cause))
}

// ---------------------------------------------------------------- engine and adapter

async function openEngine(needsDatabase) {
  const { bindMigrationAwareSqlAdapterFactory } = await import('@prisma/driver-adapter-utils')
  const url = databaseUrl()
  const adapter = bindMigrationAwareSqlAdapterFactory(needsDatabase && url ? await postgresAdapter(new URL(url)) : await memoryAdapter())
  const { SchemaEngine } = await loadWasm()
  const schemas = valuesOf('--datamodels').map((file) => [file, readFileSync(file, 'utf8')])
  const engine = await SchemaEngine.new({ datamodels: schemas.length > 0 ? schemas : undefined }, () => {}, adapter)
  return { engine, adapter }
}

/** Instantiates the WebAssembly module here, because the package's own loader needs a bundler. */
async function loadWasm() {
  const glue = '@prisma/schema-engine-wasm/schema_engine_bg'
  const bindings = await import(glue)
  const file = path.join(path.dirname(createRequire(import.meta.url).resolve(glue)), 'schema_engine_bg.wasm')
  const { instance } = await WebAssembly.instantiate(readFileSync(file), { './schema_engine_bg.js': bindings })
  bindings.__wbg_set_wasm(instance.exports)
  instance.exports.__wbindgen_start()
  return bindings
}

async function memoryAdapter() {
  const { PGlite } = await import('@electric-sql/pglite')
  const { PrismaPGlite } = await import('pglite-prisma-adapter')
  return new PrismaPGlite(new PGlite('memory://'))
}

async function postgresAdapter(url) {
  const { PrismaPg } = await import('@prisma/adapter-pg')
  const { default: pg } = await import('pg')
  const schema = url.searchParams.get('schema') ?? undefined
  const factory = new PrismaPg({ ...connectionOf(url), Client: readableCatalogue(pg.Client), max: 4 }, { schema })
  // The adapter's own shadow database could not be dropped, and would need the privilege to create a database.
  factory.connectToShadowDb = async () => (await memoryAdapter()).connect()
  return factory
}

/** The connection as separate fields. With a connection string, `pg` would ignore the additional name of the database. */
function connectionOf(url, database = decodeURIComponent(url.pathname.slice(1))) {
  return {
    host: url.searchParams.get('host') ?? url.hostname,
    port: Number(url.port || 5432),
    user: decodeURIComponent(url.username) || undefined,
    password: decodeURIComponent(url.password) || undefined,
    database,
    ssl: /require|verify/.test(url.searchParams.get('sslmode') ?? '') || undefined,
  }
}

/** Makes the catalogue readable. The adapter cannot read its one-byte type "char" (oid 18), but can read it as bpchar (1042). */
function readableCatalogue(Client) {
  const translate = (result) => {
    for (const field of result?.fields ?? []) if (field.dataTypeID === 18) field.dataTypeID = 1042
    return result
  }
  return class extends Client {
    query(config, values, callback) {
      const done = typeof values === 'function' ? values : callback
      const given = typeof values === 'function' ? undefined : values
      if (done) return super.query(config, given, (error, result) => done(error, translate(result)))
      const running = super.query(config, given)
      return typeof running?.then === 'function' ? running.then(translate) : running
    }
  }
}
