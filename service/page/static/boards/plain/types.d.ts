export type Member = [name: string, value: any];
