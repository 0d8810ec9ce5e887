import { z } from 'zod'
import { novaFilter } from '../parts/nova-filter.ts'

/** `isolated_hosts` lists host names, and `isolated_images` lists image ids. */
const options = z.strictObject({
  isolated_hosts: z.array(z.string()).default([]),
  isolated_images: z.array(z.string()).default([]),
  restrict_isolated_hosts_to_isolated_images: z.boolean().default(true),
})

/**
 * Isolated images run only on isolated hosts. Isolated hosts run only isolated images, unless the option for this restriction is off. If
 * the option `isolated_images` is empty, only the restriction on isolated hosts applies.
 */
export const isolatedHostsFilter = novaFilter({
  name: 'IsolatedHostsFilter',
  description: 'Isolated images run only on isolated hosts, and isolated hosts run only isolated images.',
  admits: {
    by: 'property',
    which: ({ image }) =>
      `for ${image === null ? 'requests without an image' : `image ${image.id ?? 'without an id'}`} by isolated_images and isolated_hosts`,
  },
  reads: [],
  oncePerRequest: true,
  runsOnRebuild: true,
  options,
  prepare({ image }, { isolated_hosts, isolated_images, restrict_isolated_hosts_to_isolated_images: isRestricted }, { presentHosts }) {
    const isolated = presentHosts?.(isolated_hosts) ?? isolated_hosts
    const hosts = new Set(isolated)
    const imageIsIsolated = image?.id != null && isolated_images.includes(image.id)
    const have = image?.id ?? 'none'
    return ({ host }) => {
      if (imageIsIsolated && !hosts.has(host))
        return { code: 'isolation.image', subject: 'host', need: listed(isolated), have: host, source: 'option isolated_images' }
      if (!imageIsIsolated && isRestricted && hosts.has(host))
        return { code: 'isolation.host', subject: 'image', need: listed(isolated_images), have, source: 'option isolated_hosts' }
      return undefined
    }
  },
})

const listed = (names: readonly string[]) => (names.length === 0 ? 'none' : names.join(', '))
