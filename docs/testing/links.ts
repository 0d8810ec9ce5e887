import { existsSync, readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'

/** The pages of a folder and of its subfolders, relative to the root. */
export const pagesIn = (root: string, folder: string, recursive = true): string[] =>
  readdirSync(path.join(root, folder), { recursive, encoding: 'utf8' })
    .filter((name) => name.endsWith('.md'))
    .map((name) => path.join(folder, name))

/** The targets of the links and images of a page, outside of code blocks, that are files or headings. */
export const linksOf = (text: string): string[] =>
  [...text.replace(/^```[\s\S]*?^```$/gm, '').matchAll(/\]\(([^)\s]+)\)/g)].flatMap(([, link = '']) =>
    /^[a-z]+:/.test(link) ? [] : [link],
  )

/** The links of these pages whose file or heading does not exist, each with its page. */
export function brokenLinks(root: string, pages: readonly string[]): string[] {
  const textOf = (page: string): string => readFileSync(path.join(root, page), 'utf8')
  return pages.flatMap((page) =>
    linksOf(textOf(page)).flatMap((link) => {
      const [file = '', anchor] = link.split('#')
      const target = file === '' ? page : path.join(path.dirname(page), file)
      if (!existsSync(path.join(root, target))) return [`${page}: ${link}`]
      return anchor === undefined || anchorsOf(textOf(target)).includes(anchor) ? [] : [`${page}: ${link} (no such heading)`]
    }),
  )
}

/** The anchors that the headings of a page have on GitHub. */
const anchorsOf = (text: string): string[] =>
  [...text.matchAll(/^#+ (.*)$/gm)].map(([, heading = '']) =>
    heading
      .trim()
      .toLowerCase()
      .replace(/[^\p{L}\p{N}\s_-]/gu, '')
      .replace(/\s/g, '-'),
  )
