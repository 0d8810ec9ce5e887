import fs from 'node:fs'
import { text } from 'node:stream/consumers'
import type { SelectDestinationsInput } from '@gantt/client'
import type { Sent } from '../../call/connection.ts'
import { CommandFailure, EXIT } from '../../call/failure.ts'

/** Options that describe the request. */
export interface SpecFlags {
  readonly vcpus?: number
  readonly memoryMb?: number
  readonly rootGb?: number
  readonly count?: number
  readonly zone?: string
  readonly gpus?: number
  readonly gpuShare?: number
  readonly gpuModel?: string
  readonly spec?: string
}

/** A request in one of the forms that the API accepts. */
export type SpecInput = Sent<SelectDestinationsInput['spec']>
type RequestInput = Extract<SpecInput, { readonly gantt: unknown }>['gantt']

/**
 * Builds the request from options, or reads a complete request from a file (`-`: standard input), as a RequestSpecInput or a request of
 * Nova. The service validates the request.
 */
export async function readSpec(flags: SpecFlags): Promise<SpecInput> {
  if (flags.spec !== undefined) return inItsForm(flags.spec, parse(flags.spec, await read(flags.spec)))
  const { vcpus, memoryMb, rootGb, count, zone, gpus, gpuShare, gpuModel } = flags
  if (vcpus === undefined || memoryMb === undefined)
    throw new CommandFailure(EXIT.usage, 'the request is missing: give --vcpus and --memory-mb, or a whole request with --spec')
  if (gpus === undefined && (gpuShare !== undefined || gpuModel !== undefined))
    throw new CommandFailure(EXIT.usage, '--gpu-share and --gpu-model need --gpus, the number of GPUs')
  const gantt = {
    flavor: { vcpus, memoryMb, ...(rootGb === undefined ? {} : { rootGb }) },
    ...(count === undefined ? {} : { numInstances: count }),
    ...(zone === undefined ? {} : { availabilityZone: zone }),
    ...(gpus === undefined
      ? {}
      : {
          gpus: {
            count: gpus,
            ...(gpuShare === undefined ? {} : { shareMilli: gpuShare }),
            ...(gpuModel === undefined ? {} : { models: [gpuModel] }),
          },
        }),
  }
  return { gantt }
}

/**
 * Determines which kind of request a document is. Nova's objects name their type. In older releases of Nova a request is a pair of
 * dictionaries.
 */
export function inItsForm(file: string, document: unknown): SpecInput {
  if (has(document, 'request_spec')) return { legacy: document }
  const spec = has(document, 'spec') ? document.spec : document
  if (has(spec, 'nova_object.name')) return { nova: document }
  if (isRequest(document)) return { gantt: document }
  throw new CommandFailure(EXIT.usage, `--spec: ${file} must contain a JSON object: a RequestSpecInput, or a request of Nova's`)
}

const has = <Field extends string>(value: unknown, field: Field): value is Readonly<Record<Field, unknown>> =>
  typeof value === 'object' && value !== null && Object.hasOwn(value, field)

/** True if the document can be sent as a request. The service validates the fields, and reports every problem with its path. */
const isRequest = (document: unknown): document is RequestInput =>
  typeof document === 'object' && document !== null && !Array.isArray(document)

async function read(file: string): Promise<string> {
  try {
    return file === '-' ? await text(process.stdin) : fs.readFileSync(file, 'utf8')
  } catch (error) {
    throw new CommandFailure(EXIT.usage, `--spec: ${file} cannot be read: ${error instanceof Error ? error.message : String(error)}`)
  }
}

function parse(file: string, content: string): unknown {
  try {
    return JSON.parse(content)
  } catch {
    throw new CommandFailure(
      EXIT.usage,
      `--spec: ${file} is not JSON; it must be a RequestSpecInput, e.g. {"flavor":{"vcpus":2,"memoryMb":4096}}, or a request of Nova's`,
    )
  }
}
