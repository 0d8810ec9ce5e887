#!/usr/bin/env -S node --max-semi-space-size=32
// The command `gantt`. In a checkout, the command first builds packages that are older than their sources. This file is committed so that
// npm can link it.
import { prepare } from '../../../tools/prepare.mjs'

prepare()
await import('../dist/main.js')
