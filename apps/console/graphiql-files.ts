import { createHash } from 'node:crypto'
import { css, editorWorkerService, graphqlWorker, js, jsonWorker } from '@graphql-yoga/render-graphiql/graphiql'
import type { Plugin } from 'vite'

/** The file name of the HTML document in the iframe of the GraphiQL page. It must equal the name in src/features/graphiql/frame.tsx. */
const FRAME = 'graphiql-frame.html'

/** Replaces a text colour of GraphiQL's dark theme whose contrast is only 1.8:1. WCAG requires 4.5:1. */
const LEGIBLE = '\nbody.graphiql-dark .mtk13 { color: #ffa86b; }\n'

/**
 * Serves GraphiQL as separate files: the scripts, styles and workers of its package, and an HTML document that loads them. The GraphiQL
 * page shows this document in an iframe. So GraphiQL has its own styles, keys and globals, and they are removed when the operator leaves
 * the page. The console's own chunks do not contain GraphiQL.
 */
export function graphiqlFiles(): Plugin {
  const files = namedFiles()
  return {
    name: 'graphiql-files',
    generateBundle() {
      for (const [fileName, source] of files) this.emitFile({ type: 'asset', fileName, source })
    },
    configureServer({ middlewares }) {
      middlewares.use((request, response, next) => {
        const name = (request.url ?? '').slice(1).split('?')[0] ?? ''
        const source = files.get(name)
        if (source === undefined) return next()
        response.setHeader('content-type', typeOf(name))
        response.end(source)
      })
    },
  }
}

/** The content of each file by its path. Every path except that of the HTML document contains a hash of the content. */
function namedFiles(): ReadonlyMap<string, string> {
  const files = new Map<string, string>()
  const add = (name: string, ending: string, source: string): string => {
    const hash = createHash('sha256')
      .update(source)
      .digest('base64url')
      .replace(/[^A-Za-z0-9]/g, '')
      .slice(0, 8)
    const file = `assets/${name}-${hash}.${ending}`
    files.set(file, source)
    return `/${file}`
  }
  const script = add('graphiql', 'js', js)
  const styles = add('graphiql', 'css', css + LEGIBLE)
  // the editor requests its workers by these labels
  const workers = {
    editorWorkerService: add('graphiql-editor', 'js', editorWorkerService),
    graphql: add('graphiql-graphql', 'js', graphqlWorker),
    json: add('graphiql-json', 'js', jsonWorker),
  }
  const document = `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8" />
    <title>GraphiQL</title>
    <link rel="icon" href="/icon.svg" type="image/svg+xml" />
    <link rel="stylesheet" href="${styles}" />
  </head>
  <body>
    <div id="root" style="height: 100vh" data-workers='${JSON.stringify(workers)}'></div>
    <script src="${script}"></script>
  </body>
</html>
`
  return files.set(FRAME, document)
}

const typeOf = (name: string): string =>
  name.endsWith('.html') ? 'text/html; charset=utf-8' : name.endsWith('.css') ? 'text/css; charset=utf-8' : 'text/javascript; charset=utf-8'
