import { readInt } from '../../text/numbers.ts'
import { NovaError } from '../text/nova-error.ts'

/** An IPv4 or IPv6 address as an integer. */
export interface IpAddress {
  readonly version: 4 | 6
  readonly value: bigint
}

export interface IpNetwork extends IpAddress {
  /** The number of leading bits that the address and the network have in common. */
  readonly prefix: number
}

const WIDTH = { 4: 32, 6: 128 } as const

/**
 * Parses a network as the Python library netaddr does. It is an address, optionally with `/` and a prefix length, a netmask or a hostmask.
 * An IPv4 address can be shortened (`10.0` is 10.0.0.0). Throws AddrFormatError, or ValueError if there is a second slash.
 */
export function parseNetwork(text: string): IpNetwork {
  const slash = text.indexOf('/')
  const [address, mask] = slash === -1 ? [text, undefined] : [text.slice(0, slash), text.slice(slash + 1)]
  const found = networkOf(4, parseIpv4(address) ?? parsePartialIpv4(address), mask) ?? networkOf(6, parseIpv6(address), mask)
  if (found === undefined)
    throw new NovaError('AddrFormatError', { subject: 'the network', need: 'an address, then /prefix or /netmask', have: text })
  return found
}

/** Parses an IPv4 or IPv6 address. Throws AddrFormatError for invalid text and for null. */
export function parseAddress(text: string | null): IpAddress {
  const ipv4 = parseIpv4(text ?? '')
  if (ipv4 !== undefined) return { version: 4, value: ipv4 }
  const ipv6 = parseIpv6(text ?? '')
  if (ipv6 !== undefined) return { version: 6, value: ipv6 }
  throw new NovaError('AddrFormatError', { subject: 'the address of the host', need: 'an IPv4 or IPv6 address', have: text ?? 'null' })
}

/** Returns true if the address is in the network. Returns false if the IP versions of address and network differ. */
export function isInNetwork({ version, value }: IpAddress, network: IpNetwork): boolean {
  const rest = BigInt(WIDTH[version] - network.prefix)
  return version === network.version && value >> rest === network.value >> rest
}

function networkOf(version: 4 | 6, value: bigint | undefined, mask: string | undefined): IpNetwork | undefined {
  if (value === undefined) return undefined
  const prefix = mask === undefined ? WIDTH[version] : prefixOf(version, mask)
  return prefix !== undefined && prefix >= 0 && prefix <= WIDTH[version] ? { version, value, prefix } : undefined
}

function prefixOf(version: 4 | 6, mask: string): number | undefined {
  const whole = readInt(mask)
  if (whole !== undefined) return whole
  if (mask.includes('/')) throw new NovaError('ValueError', { subject: 'the netmask', need: 'an address', have: mask })
  const value = version === 4 ? parseIpv4(mask) : parseIpv6(mask)
  if (value === undefined) return undefined
  const all = (1n << BigInt(WIDTH[version])) - 1n
  return onesBeforeZeros(value, all) ?? onesBeforeZeros(value ^ all, all)
}

/** The number of leading one bits. Undefined if a one bit follows a zero bit. */
function onesBeforeZeros(value: bigint, all: bigint): number | undefined {
  const zeros = value ^ all
  return (zeros & (zeros + 1n)) === 0n ? all.toString(2).length - (zeros === 0n ? 0 : zeros.toString(2).length) : undefined
}

/** Parses four numbers from 0 to 255 without leading zeros. Undefined for other text. */
function parseIpv4(text: string): bigint | undefined {
  const parts = text.split('.')
  if (parts.length !== 4 || !parts.every((part) => /^(0|[1-9]\d{0,2})$/.test(part) && Number(part) <= 255)) return undefined
  return parts.reduce((value, part) => (value << 8n) | BigInt(part), 0n)
}

/** Parses one to four numbers. Missing numbers at the end are 0. Undefined for other text. */
function parsePartialIpv4(text: string): bigint | undefined {
  if (text.includes(':')) return undefined
  const parts = text.split('.').map(readInt)
  if (parts.length > 4 || parts.includes(undefined)) return undefined
  return parseIpv4([...parts, 0, 0, 0].slice(0, 4).join('.'))
}

/** Parses an IPv6 address. `::` can stand for groups of zeros, and an IPv4 address can replace the last two groups. */
function parseIpv6(text: string): bigint | undefined {
  const tail = /^(.*:)(\d+\.\d+\.\d+\.\d+)$/.exec(text)
  if (tail !== null) {
    const ipv4 = parseIpv4(tail[2] ?? '')
    return ipv4 === undefined ? undefined : parseIpv6(`${tail[1]}${(ipv4 >> 16n).toString(16)}:${(ipv4 & 0xffffn).toString(16)}`)
  }
  const halves = text.split('::')
  if (halves.length > 2) return undefined
  const [head = [], rest] = halves.map((half) => (half === '' ? [] : half.split(':')))
  const missing = 8 - head.length - (rest?.length ?? 0)
  if (rest === undefined ? missing !== 0 : missing < 1) return undefined
  const groups = [...head, ...Array.from({ length: missing }, () => '0'), ...(rest ?? [])]
  if (!groups.every((group) => /^[0-9a-fA-F]{1,4}$/.test(group))) return undefined
  return groups.reduce((value, group) => (value << 16n) | BigInt(`0x${group}`), 0n)
}
