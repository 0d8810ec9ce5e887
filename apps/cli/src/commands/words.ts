/** "PT1M30S" as "1 min 30 s". */
export function inWords(duration: string): string {
  const [, days, hours, minutes, seconds] = /^P(?:(\d+)D)?(?:T(?:(\d+)H)?(?:(\d+)M)?(?:([\d.]+)S)?)?$/.exec(duration) ?? []
  const parts = [
    [days, 'd'],
    [hours, 'h'],
    [minutes, 'min'],
    [seconds, 's'],
  ].flatMap(([count, unit]) => (count === undefined ? [] : [`${count} ${unit}`]))
  return parts.join(' ') || duration
}
