import { canvases } from './canvases.tsx'
import { lists } from './lists.tsx'
import { messages } from './messages.tsx'
import { smallParts } from './small-parts.tsx'
import type { Story } from './story.ts'

/** All components of `ui/`, in order of name. */
export const stories: readonly Story[] = [...smallParts, ...messages, ...lists, ...canvases].sort((a, b) => a.of.localeCompare(b.of))
