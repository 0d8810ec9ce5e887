/**
 * Removes the user, the password and the query of each URL in a text. The length of a scheme is bounded, because a collector can print a
 * megabyte of letters, and the time would grow with its square.
 */
export const withoutUrlSecrets = (text: string): string =>
  text.replace(/([a-z][a-z0-9+.-]{0,31}:\/\/)([^\s/?#"'<>]*@)?([^\s?#"'<>]*)(\?[^\s#"'<>]*)?/gi, (_all, scheme, user, rest, query) =>
    [scheme, user === undefined ? '' : '[hidden]@', rest, query === undefined ? '' : '?[hidden]'].join(''),
  )

/** The user, the password and the values of the query of a URL. A message can contain them without the rest of the URL. */
export function partsOfUrl(text: string): readonly string[] {
  const url = URL.canParse(text) ? new URL(text) : undefined
  if (url === undefined) return []
  const own = [url.username, url.password].flatMap((part) => [part, decoded(part)])
  return [...own, ...url.searchParams.values()]
}

/** Undoes the encoding of a part of a URL. A part that is encoded wrongly stays. */
export function decoded(part: string): string {
  try {
    return decodeURIComponent(part)
  } catch {
    return part
  }
}
