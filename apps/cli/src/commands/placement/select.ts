import { randomUUID } from 'node:crypto'
import { type Command, Option } from 'commander'
import { type ConnectionFlags, connectForKeyed, readProject } from '../../call/connection.ts'
import { CommandFailure, EXIT, mayHaveHappened, toRefusal } from '../../call/failure.ts'
import { oneOf, wholeNumber } from '../../options/values.ts'
import { note, type Result, run, withExamples, withService } from '../../output/output.ts'
import { notEmpty } from '../host/hosts.ts'
import { INTENTS, type Intent, readMove } from './move-of.ts'
import { SELECT, SELECT_FOR_PROJECT, type Selected, toLinesOfIgnored, toLinesOfPlaced, toLinesOfRefused } from './select-lines.ts'
import { readSpec, type SpecFlags, type SpecInput } from './spec.ts'

interface Flags extends ConnectionFlags, SpecFlags {
  readonly intent?: Intent
  readonly moveOf?: string
  readonly profile?: string
  readonly keyName?: string
  readonly confirm?: true
  readonly advice?: true
  readonly alternates?: number
  readonly json?: true
}

/** `gantt select`: requests hosts from the service, and claims resources on them. */
export function addSelect(program: Command): void {
  const command = program
    .command('select')
    .description('choose hosts for a request and reserve the resources for a short time; exits with 1 if an instance fits on no host')
    .option('--vcpus <n>', 'CPUs of each instance', wholeNumber(0, 100_000))
    .option('--memory-mb <n>', 'memory of each instance, in MiB', wholeNumber(0, 1_000_000_000))
    .option('--root-gb <n>', 'root disk of each instance, in GiB', wholeNumber(0, 10_000_000))
    .option('--count <n>', 'number of instances; either all are placed, or none', wholeNumber(1, 1_000))
    .option('--zone <zone>', 'place instances only in this availability zone', notEmpty)
    .option('--gpus <n>', 'GPUs of each instance', wholeNumber(1, 1_000))
    .option('--gpu-share <milli>', 'share of each GPU, in thousandths; 1000 if not given', wholeNumber(1, 1_000))
    .option('--gpu-model <model>', 'only GPUs of this model', notEmpty)
    .addOption(
      new Option(
        '--spec <file>',
        "file with a whole request as JSON: RequestSpecInput, Nova's RequestSpec or Nova's older dictionaries; - for standard input",
      ).conflicts(['vcpus', 'memoryMb', 'rootGb', 'count', 'zone', 'gpus', 'gpuShare', 'gpuModel']),
    )
    .option('--intent <intent>', `purpose of the placement: ${INTENTS.join(', ')}; CREATE if not given`, oneOf(INTENTS))
    .option(
      '--move-of <claim>',
      'claim of the instance to move, or to rebuild on its host; for options that are not given, the values of the original request apply',
      notEmpty,
    )
    .option('--profile <name>', 'profile that decides, name or name@number', notEmpty)
    .option('--key-name <name>', 'idempotency key: a repeated call with the same key gets the same answer; random if not given', notEmpty)
    .addOption(new Option('--confirm', 'make the claims permanent').conflicts('advice'))
    .option('--advice', 'choose hosts, but claim nothing')
    .option('--alternates <n>', 'list at most this many next best hosts, 0 to 10', wholeNumber(0, 10))
    .action((flags: Flags) => run(flags, () => select(flags)))
  withExamples(withService(command), [
    ['gantt select --vcpus 4 --memory-mb 8192 --root-gb 20', 'reserve resources for one instance for a short time'],
    ['gantt select --vcpus 8 --memory-mb 16384 --count 3 --zone az1 --confirm', 'claim resources for three instances without expiry'],
    ['gantt select --vcpus 8 --memory-mb 65536 --gpus 1 --gpu-share 500 --advice', 'find a host for half a GPU without a claim'],
    ['gantt select --intent live-migrate --move-of 7d0e6a52-...', 'begin a live migration: both claims are held until the move ends'],
    ['gantt select --intent resize --move-of 7d0e6a52-... --vcpus 8 --memory-mb 16384', 'begin a resize, on the same host or another'],
    ['jq .spec request.json | gantt select --spec - --json', 'read the request from another program'],
  ])
}

async function select(flags: Flags): Promise<Result> {
  const client = connectForKeyed(flags)
  const project = await readProject(client)
  if (project !== null) refuseForProject(project, flags)
  const idempotencyKey = flags.keyName ?? `cli-${randomUUID()}`
  const input = {
    ...(flags.moveOf === undefined
      ? { spec: ofProject(await readSpec(flags), project, flags) }
      : await readMove(client, flags.moveOf, flags)),
    idempotencyKey,
    ...(flags.intent === undefined ? {} : { intent: flags.intent }),
    claim: { mode: modeOf(flags) },
    ...(flags.profile === undefined ? {} : { profile: flags.profile }),
    ...(flags.alternates === undefined ? {} : { alternatesPerInstance: flags.alternates }),
  }
  const call: Promise<Selected> = project === null ? client.request(SELECT, { input }) : client.request(SELECT_FOR_PROJECT, { input })
  const { selectDestinations: answer } = await call.catch((error: unknown) => {
    if (mayHaveHappened(error))
      note(
        `The resources may be held nevertheless; the same command with --key-name ${idempotencyKey} repeats the call without a second claim.`,
      )
    throw error
  })
  if ('destinations' in answer)
    return { lines: [...toLinesOfPlaced(answer), ...toLinesOfIgnored(answer)], json: { idempotencyKey, ...answer } }
  if (answer.__typename === 'NoValidHost')
    return {
      lines: [...toLinesOfRefused(answer), ...toLinesOfIgnored(answer)],
      json: { idempotencyKey, ...answer },
      exitCode: EXIT.refused,
    }
  throw toRefusal(answer)
}

const modeOf = ({ confirm, advice }: Flags): 'CONFIRM' | 'NONE' | 'RESERVE' => (confirm ? 'CONFIRM' : advice ? 'NONE' : 'RESERVE')

/** Refuses the options that a key that is bound to a project may not use, before any call is made. */
function refuseForProject(project: string, { moveOf, intent, advice, alternates }: Flags): void {
  const refused = [
    moveOf !== undefined && '--move-of',
    intent !== undefined && intent !== 'CREATE' && intent !== 'UNSHELVE' && `--intent ${intent.toLowerCase().replace('_', '-')}`,
    advice && '--advice',
    alternates !== undefined && '--alternates',
  ].filter((flag) => typeof flag === 'string')
  if (refused.length > 0)
    throw new CommandFailure(
      EXIT.usage,
      `the key is bound to project ${project}: it cannot be used with ${refused.join(', ')} (docs/keys.md)`,
    )
}

/** Adds the key's project to a request from options. A request from a file has its own project. */
function ofProject(spec: SpecInput, project: string | null, flags: Flags): SpecInput {
  return project === null || flags.spec !== undefined || !('gantt' in spec) ? spec : { gantt: { ...spec.gantt, projectId: project } }
}
