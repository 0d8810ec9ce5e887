import type { HostCapabilities } from '../../contracts/built-in.ts'
import type { HostState } from '../objects/host-state.ts'
import { ownHostsOf } from '../own/own-hosts.ts'
import { NovaError } from '../text/nova-error.ts'
import { parsePythonJson } from '../text/python-json.ts'
import { attributeNames, attributeOf, type HostValue, hostText, NovaObject, statOf } from './host-attributes.ts'

/** The value at a path that starts with an attribute of the host. Null if the path does not exist. */
export function capabilityOf(host: HostState, [name = '', ...steps]: readonly string[]): HostValue {
  let value = attributeOf(host, name) ?? statOf(host, name)
  for (const step of steps) value = stepInto(value, step)
  return value
}

/** Follows one step of a path from a value. If the value is text, it is first parsed as JSON. */
function stepInto(value: HostValue, step: string): HostValue {
  const target = typeof value === 'string' ? parsed(value) : value
  if (target instanceof Map) return target.get(step) ?? null
  return target instanceof NovaObject ? (target.attributes.get(step) ?? null) : null
}

/** The steps that a path can take from a value. */
function stepsFrom(value: HostValue): readonly string[] {
  const target = typeof value === 'string' ? parsed(value) : value
  if (target instanceof Map) return [...target.keys()].map(String)
  return target instanceof NovaObject ? [...target.attributes.keys()] : []
}

function parsed(text: string): HostValue {
  try {
    return parsePythonJson(text)
  } catch (error) {
    if (error instanceof NovaError) return null
    throw error
  }
}

/** The capabilities that ComputeCapabilitiesFilter reads. */
export const novaCapabilities: HostCapabilities = {
  namesAt(fleet, steps) {
    const hostOf = ownHostsOf(fleet)
    const hosts = fleet.hosts.present.map(({ index }) => hostOf(index))
    if (steps.length === 0) return new Set([...attributeNames(), ...hosts.flatMap(({ stats }) => Object.keys(stats))])
    // equal texts, such as the CPU information of equal hosts, are parsed once
    const values = new Set(hosts.map((host) => capabilityOf(host, steps)))
    return new Set([...values].flatMap(stepsFrom))
  },
  valuesAt(fleet, path) {
    const hostOf = ownHostsOf(fleet)
    const values = new Set(fleet.hosts.present.map(({ index }) => capabilityOf(hostOf(index), path)))
    return new Set([...values].flatMap((value) => (value === null ? [] : [hostText(value)])))
  },
}
