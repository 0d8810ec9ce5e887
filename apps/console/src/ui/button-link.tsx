import { Button, type ButtonProps } from '@mantine/core'
import { createLink } from '@tanstack/react-router'
import type { ComponentPropsWithRef } from 'react'

const PlainButton = (props: ButtonProps & Omit<ComponentPropsWithRef<'a'>, keyof ButtonProps>) => <Button component="a" {...props} />

/** A link that looks like the buttons next to it. */
export const ButtonLink = createLink(PlainButton)
