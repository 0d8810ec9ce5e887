import { randomUUID } from 'node:crypto'
import { type Command, Option } from 'commander'
import { type ConnectionFlags, connectForKeyed } from './connection.ts'
import { CommandFailure, EXIT, mayHaveHappened, REFUSAL, type Refusal, toRefusal } from './failure.ts'
import { notEmpty } from './hosts.ts'
import { INTENTS, type Intent, readMove } from './moves.ts'
import { oneOf, wholeNumber } from './options.ts'
import { note, type Result, run, withExamples, withService } from './output.ts'
import { REASON } from './reasons.ts'
import { type SelectAnswer, toLinesOfIgnored, toLinesOfPlaced, toLinesOfRefused } from './select-lines.ts'
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

const SELECT = `mutation Select($input: SelectDestinationsInput!) {
  selectDestinations(input: $input) {
    __typename
    ... on SelectDestinationsPayload {
      replayed
      ignoredFields
      decision { id }
      destinations {
        instanceUuid
        selected { weight host { name node hasOtherNodes availabilityZone } claim { id fence state expiresAt moveOf { id } gpus { index milli } } }
        alternates { weight host { name node hasOtherNodes } }
      }
    }
    ... on NoValidHost { message placedCount ignoredFields decision { id } reasons { ${REASON} } }
    ... on ClaimLost { claim { id state } }
    ${REFUSAL}
  }
}`

/** What a key that is bound to a project may ask: where its instances go, and nothing else about hosts. */
const SELECT_FOR_PROJECT = `mutation SelectForProject($input: SelectDestinationsInput!) {
  selectDestinations(input: $input) {
    __typename
    ... on SelectDestinationsPayload {
      replayed
      ignoredFields
      decision { id }
      destinations { instanceUuid selected { host { node name } claim { id fence state expiresAt } } }
    }
    ... on NoValidHost { message placedCount ignoredFields decision { id } }
    ... on ClaimLost { claim { id state } }
    ${REFUSAL}
  }
}`

/** `gantt select`: asks the service for hosts, and claims the room there. */
export function addSelect(program: Command): void {
  const command = program
    .command('select')
    .description('choose hosts for a request and hold the room there for two minutes; ends with 1 where no host can take it')
    .option('--vcpus <n>', 'CPUs of each instance', wholeNumber(0, 100_000))
    .option('--memory-mb <n>', 'its memory in MiB', wholeNumber(0, 1_000_000_000))
    .option('--root-gb <n>', 'its root disk in GiB', wholeNumber(0, 10_000_000))
    .option('--count <n>', 'instances: all of them or none', wholeNumber(1, 1_000))
    .option('--zone <zone>', 'only in this availability zone', notEmpty)
    .option('--gpus <n>', 'GPUs of each instance', wholeNumber(1, 1_000))
    .option('--gpu-share <milli>', 'of each GPU, in thousandths; 1000 if not given', wholeNumber(1, 1_000))
    .option('--gpu-model <model>', 'only GPUs of this model', notEmpty)
    .addOption(
      new Option(
        '--spec <file>',
        "a whole request as JSON: RequestSpecInput, or Nova's RequestSpec or older dictionaries; - is standard input",
      ).conflicts(['vcpus', 'memoryMb', 'rootGb', 'count', 'zone', 'gpus', 'gpuShare', 'gpuModel']),
    )
    .option('--intent <intent>', `what for: ${INTENTS.join(', ')}; create if not given`, oneOf(INTENTS))
    .option('--move-of <claim>', 'the claim that moves, or is rebuilt where it is; what is not said anew is as it was asked then', notEmpty)
    .option('--profile <name>', 'decide by this profile, name or name@number', notEmpty)
    .option('--key-name <name>', 'idempotency key: the same call with it gets the same answer; random if not given', notEmpty)
    .addOption(new Option('--confirm', 'hold the room for good').conflicts('advice'))
    .option('--advice', 'hold nothing')
    .option('--alternates <n>', 'next best hosts to tell, 0 to 10', wholeNumber(0, 10))
    .action((flags: Flags) => run(flags, () => select(flags)))
  withExamples(withService(command), [
    ['gantt select --vcpus 4 --memory-mb 8192 --root-gb 20', 'room for one instance, held for two minutes'],
    ['gantt select --vcpus 8 --memory-mb 16384 --count 3 --zone az1 --confirm', 'three, for good'],
    ['gantt select --vcpus 8 --memory-mb 65536 --gpus 1 --gpu-share 500 --advice', 'half a GPU: where would it go?'],
    ['gantt select --intent live-migrate --move-of 7d0e6a52-...', 'the same instance elsewhere: both ends are held until one is ended'],
    ['gantt select --intent resize --move-of 7d0e6a52-... --vcpus 8 --memory-mb 16384', 'more room, on its host or another'],
    ['jq .spec request.json | gantt select --spec - --json', 'a request from elsewhere'],
  ])
}

async function select(flags: Flags): Promise<Result> {
  const client = connectForKeyed(flags)
  const { viewer } = await client.request<{ viewer: { readonly project: string | null } }>('{ viewer { project } }')
  if (viewer.project !== null) refuseForProject(viewer.project, flags)
  const idempotencyKey = flags.keyName ?? `cli-${randomUUID()}`
  const input = {
    ...(flags.moveOf === undefined
      ? { spec: ofProject(await readSpec(flags), viewer.project, flags) }
      : await readMove(client, flags.moveOf, flags)),
    idempotencyKey,
    ...(flags.intent === undefined ? {} : { intent: flags.intent }),
    claim: { mode: flags.confirm ? 'CONFIRM' : flags.advice ? 'NONE' : 'RESERVE' },
    ...(flags.profile === undefined ? {} : { profile: flags.profile }),
    ...(flags.alternates === undefined ? {} : { alternatesPerInstance: flags.alternates }),
  }
  const { selectDestinations: answer } = await client
    .request<{ selectDestinations: SelectAnswer | Refusal }>(viewer.project === null ? SELECT : SELECT_FOR_PROJECT, { input })
    .catch((error: unknown) => {
      if (mayHaveHappened(error))
        note(`The room may be held all the same; the same command with --key-name ${idempotencyKey} asks again without a second claim.`)
      throw error
    })
  if ('destinations' in answer)
    return { lines: [...toLinesOfPlaced(answer), ...toLinesOfIgnored(answer)], json: { idempotencyKey, ...answer } }
  if (isRefused(answer))
    return {
      lines: [...toLinesOfRefused(answer), ...toLinesOfIgnored(answer)],
      json: { idempotencyKey, ...answer },
      exitCode: EXIT.refused,
    }
  throw toRefusal(answer)
}

const isRefused = (answer: SelectAnswer | Refusal): answer is Extract<SelectAnswer, { readonly __typename: 'NoValidHost' }> =>
  answer.__typename === 'NoValidHost'

/** What such a key is refused, said before anything is asked. */
function refuseForProject(project: string, { moveOf, intent, advice, alternates }: Flags): void {
  const refused = [
    moveOf !== undefined && '--move-of',
    intent !== undefined && intent !== 'CREATE' && intent !== 'UNSHELVE' && `--intent ${intent.toLowerCase().replace('_', '-')}`,
    advice && '--advice',
    alternates !== undefined && '--alternates',
  ].filter((flag) => typeof flag === 'string')
  if (refused.length > 0)
    throw new CommandFailure(EXIT.usage, `the key is bound to project ${project}: it may not give ${refused.join(', ')} (docs/keys.md)`)
}

/** A request that is given by options is of the project that the key is bound to; a whole one says itself whose it is. */
function ofProject(spec: SpecInput, project: string | null, flags: Flags): SpecInput {
  return project === null || flags.spec !== undefined ? spec : { gantt: { ...(spec.gantt as object), projectId: project } }
}
