/** How many members of a server group are among the instances of a host. Looks through the smaller of the two sets. */
export function countMembers(members: ReadonlySet<string>, instances: ReadonlySet<string>): number {
  const [few, many] = instances.size < members.size ? [instances, members] : [members, instances]
  if (few.size === 0) return 0
  let count = 0
  for (const uuid of few) if (many.has(uuid)) count++
  return count
}
