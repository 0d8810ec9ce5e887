export function missingPackages(packages: readonly string[]): string[]
