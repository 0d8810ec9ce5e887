import { Alert, SegmentedControl, Stack, Text, Textarea, TextInput } from '@mantine/core'
import { type ReactNode, useState } from 'react'
import { novaOf } from '../nova-request.ts'
import { fieldsOf, type RequestDocument, type RequestFields, readObject, withFields } from '../scenario.ts'

interface RequestFormProps {
  readonly request: RequestDocument
  readonly view: 'form' | 'json'
  onView(view: 'form' | 'json'): void
  onChange(request: RequestDocument): void
  /** Called with true if the text is not a valid request. The simulation cannot run then. */
  onInvalid(isInvalid: boolean): void
  /** Controls that fill in a request from another source, such as a recently requested flavor. */
  readonly from: ReactNode
}

/** Edits the request, either in a form with the most common fields or as the complete document. Both views show the same data. */
export function RequestForm({ request, view, onView, onChange, onInvalid, from }: RequestFormProps) {
  return (
    <Stack gap="xs" component="section" aria-label="Request">
      <div className="simulate-head">
        <Text fw={600} component="h2" size="md">
          Request
        </Text>
        {from}
        <SegmentedControl
          size="xs"
          aria-label="View of the request"
          value={view}
          onChange={(next) => {
            onInvalid(false)
            onView(next === 'json' ? 'json' : 'form')
          }}
          data={[
            { value: 'form', label: 'Form' },
            { value: 'json', label: 'JSON' },
          ]}
        />
      </div>
      {view === 'form' ? (
        <Fields request={request} onChange={onChange} />
      ) : (
        <Json request={request} onChange={onChange} onInvalid={onInvalid} />
      )}
    </Stack>
  )
}

/** The fields that the form shows. All other fields of the document stay unchanged. */
const SHOWN = new Set(['flavor', 'availabilityZone', 'projectId'])

function Fields({ request, onChange }: Pick<RequestFormProps, 'request' | 'onChange'>) {
  const fields = fieldsOf(request)
  const [extraSpecs, setExtraSpecs] = useState(fields.extraSpecs)
  const change = (next: Partial<RequestFields>): void => onChange(withFields(request, { ...fields, extraSpecs, ...next }))
  const nova = novaOf(request)
  const others = nova === undefined ? Object.keys(request).filter((name) => !SHOWN.has(name)) : []
  return (
    <>
      <div className="simulate-fields">
        <Amount label="vCPU" value={fields.vcpus} onChange={(vcpus) => change({ vcpus })} />
        <Amount label="Memory, MiB" value={fields.memoryMb} onChange={(memoryMb) => change({ memoryMb })} />
        <Amount label="Root disk, GiB" value={fields.rootGb} onChange={(rootGb) => change({ rootGb })} />
        <Word label="Zone" placeholder="any" value={fields.zone} onChange={(zone) => change({ zone })} />
        <Word label="Project" placeholder="none" value={fields.projectId} onChange={(projectId) => change({ projectId })} />
        <Word label="Flavor's name" placeholder="none" value={fields.flavor} onChange={(flavor) => change({ flavor })} />
      </div>
      <Textarea
        size="xs"
        label="Extra specs"
        description="key=value, one per line: trait:HW_CPU_X86_AVX2=required"
        autosize
        minRows={1}
        maxRows={8}
        value={extraSpecs}
        onChange={({ currentTarget: { value } }) => {
          setExtraSpecs(value)
          change({ extraSpecs: value })
        }}
      />
      {nova === undefined ? null : (
        <Text size="xs" c="dimmed">
          The request has Nova's form ({nova.form === 'legacy' ? 'request_spec and filter_properties' : 'RequestSpec'}). These fields are
          written into Nova's document, and the rest of the document is sent unchanged: see it as JSON.
        </Text>
      )}
      {others.length === 0 ? null : (
        <Text size="xs" c="dimmed">
          The request also has {others.join(', ')}: see it as JSON.
        </Text>
      )}
    </>
  )
}

function Json({ request, onChange, onInvalid }: Pick<RequestFormProps, 'request' | 'onChange' | 'onInvalid'>) {
  const [text, setText] = useState(() => JSON.stringify(request, null, 2))
  const read = readObject(text)
  return (
    <>
      <Textarea
        size="xs"
        label="The request, in the form of docs/request-spec.md"
        autosize
        minRows={10}
        maxRows={24}
        spellCheck={false}
        classNames={{ input: 'mono' }}
        value={text}
        onChange={({ currentTarget: { value } }) => {
          setText(value)
          const next = readObject(value)
          onInvalid('problem' in next)
          if ('value' in next) onChange(next.value)
        }}
      />
      {'problem' in read ? (
        <Alert color="red" title="Not a valid request" role="status" p="xs">
          {read.problem}
        </Alert>
      ) : null}
    </>
  )
}

interface AmountProps {
  readonly label: string
  readonly value: number
  onChange(value: number): void
}

/** An input for a whole number that is at least 0. */
export function Amount({ label, value, onChange }: AmountProps) {
  return (
    <TextInput
      size="xs"
      type="number"
      min={0}
      step={1}
      label={label}
      value={value}
      onChange={({ currentTarget }) => onChange(Math.max(0, Math.floor(Number(currentTarget.value))))}
    />
  )
}

interface WordProps {
  readonly label: string
  readonly placeholder?: string
  readonly value: string
  onChange(value: string): void
}

export function Word({ label, placeholder, value, onChange }: WordProps) {
  return (
    <TextInput
      size="xs"
      label={label}
      {...(placeholder === undefined ? {} : { placeholder })}
      value={value}
      autoComplete="off"
      spellCheck={false}
      onChange={({ currentTarget }) => onChange(currentTarget.value)}
    />
  )
}
