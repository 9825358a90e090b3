// The public name of a device: the part of a DNS label by which its tunnels are known, instead of an address that nobody
// can remember.

/** The port of a tunnel comes before the name, with a hyphen: together they are one label of DNS, of at most 63 bytes. */
const MAX_LENGTH = 63 - '65535-'.length
const SEPARATOR = '--'

/**
 * `<device>--<namespace>` in lower case. The device's part has no two hyphens in a row, so that no other namespace can
 * have the same name; two devices of one namespace can, as `a_b` and `a-b`.
 * @param namespace a label of DNS
 * @returns undefined when the device's name has neither a letter nor a digit
 */
export function publicName(device: string, namespace: string): string | undefined {
  const words = device.toLowerCase().split(/[^a-z0-9]+/)
  const own = words.filter((word) => word !== '').join('-')
  const fitting = own.slice(0, MAX_LENGTH - SEPARATOR.length - namespace.length).replace(/-$/, '')
  return fitting === '' ? undefined : `${fitting}${SEPARATOR}${namespace}`
}
