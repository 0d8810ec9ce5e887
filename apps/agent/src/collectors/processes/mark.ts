import { randomUUID } from 'node:crypto'
import { existsSync, readlinkSync } from 'node:fs'
import { readProcess } from './proc.ts'

/** The environment variable by which the processes of a run are found, even those that detached themselves. */
export const MARK = 'GANTT_COLLECTOR_RUN'

const SPACE = '/proc/self/ns/pid'

/** The agent that started a run. */
export interface Origin {
  /** The number space of the agent's process (pid_namespaces(7)). In a container, processes have other numbers than outside. */
  readonly space: string
  readonly pid: number
  readonly startTicks: number
}

/** This agent. Undefined if /proc cannot be read. */
export function thisAgent(): Origin | undefined {
  const self = readProcess(process.pid)
  const [space] = existsSync(SPACE) ? (/\d+/.exec(readlinkSync(SPACE)) ?? []) : []
  return self && space !== undefined ? { space, pid: self.pid, startTicks: self.startTicks } : undefined
}

/** A new mark. It names the agent, so that a later agent finds what this agent left behind. */
export function newMark(): string {
  const agent = thisAgent()
  return agent === undefined ? randomUUID() : `${agent.space}.${agent.pid}.${agent.startTicks}.${randomUUID()}`
}

/** The agent that a mark names. */
export function originOf(mark: string): Origin | undefined {
  const [, space, pid, startTicks] = /^(\d+)\.(\d+)\.(\d+)\.[\da-f-]{36}$/.exec(mark) ?? []
  return space === undefined ? undefined : { space, pid: Number(pid), startTicks: Number(startTicks) }
}
