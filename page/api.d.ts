// Written by `make openapi` from openapi.yaml: do not change it by hand.

export interface components {
    schemas: {
        /** @description Actor of a commit. `invitation`: a join with an invitation, or a player's join of a rematch. `public`: a join without a token. */
        Actor: string;
        /** @description A strong bot's advice for the caller's seat. The bot thinks until `status` is `ready`. */
        Advice: {
            /** @description The match's id. */
            match: components["schemas"]["MatchId"];
            /** @description Version of the match at which the advice applies. */
            version: number;
            /** @description The advised seat. */
            seat: number;
            /** @description The level of the bot. */
            level: components["schemas"]["BotLevel"];
            /**
             * @description `ready` once the bot has thought.
             * @enum {string}
             */
            status: "thinking" | "ready";
            /** @description Number of rollouts of the bot's search. */
            iterations: number;
            /** @description The best moves, the advised one first. [] until ready. */
            best: components["schemas"]["Candidate"][];
        };
        /** @description A request to take moves back. */
        AskTakeBack: {
            /** @description The version to go back to. */
            to: number;
        };
        /** @description An audit, done or under way. */
        Audit: {
            /** @description The match's id. */
            match: components["schemas"]["MatchId"];
            /** @description Last audited version. */
            version: number;
            /** @description Number of commits checked so far. */
            done: number;
            /** @description Report of the audit. Null while the audit is under way. */
            report: components["schemas"]["Report"] | null;
        };
        /** @description A change of a token or a name without a commit (M13). */
        Beside: {
            /**
             * Format: date-time
             * @description Time of the change.
             */
            at: string;
            /**
             * @description Kind of the change.
             * @enum {string}
             */
            what: "token_replaced" | "token_revoked" | "name_erased";
            /** @description Holder of the token. */
            holder?: components["schemas"]["Holder"];
            /** @description Seat of the erased name. */
            seat?: number;
        };
        /** @description A wrong place in the body of a request. */
        BodyMistake: {
            /** @description JSON pointer into the body (RFC 6901). Empty for the whole body. */
            pointer: string;
            /** @description The right form or value. */
            detail: string;
        };
        /** @description A bot for a seat. */
        Bot: {
            /** @description Level of the bot: one of the `levels` of the game. `greedy` by default. */
            level?: components["schemas"]["BotLevel"];
        };
        /**
         * @description Level of a bot: its way to choose moves.
         * @enum {string}
         */
        BotLevel: "random" | "greedy" | "quick" | "strong";
        /** @description A seat of a bot. */
        BotSeat: {
            /**
             * @description Kind of the seat at the opening. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            kind: "bot";
            /** @description Level of the bot: one of the `levels` of the game. `greedy` by default. */
            level?: components["schemas"]["BotLevel"];
            /** @description Name of the seat's player, stored outside the hash chain. */
            name?: string;
        };
        /** @description A seat took an open action card into its hand (C13). */
        Calimala1ActionCardTaken: {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "action_card_taken";
            seat: number;
            card: components["schemas"]["CalimalaAction"];
        };
        /** @description An activated action was carried out (C19). workshops: the cloth in each workshop afterwards, if it changed. */
        Calimala1ActionPerformed: {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "action_performed";
            seat: number;
            action: components["schemas"]["CalimalaAction"];
            build?: components["schemas"]["CalimalaProject"];
            city?: components["schemas"]["CalimalaCity"];
            building?: components["schemas"]["CalimalaBuilding"];
            resource?: components["schemas"]["CalimalaResource"];
            cities?: components["schemas"]["CalimalaCity"][];
            workshops?: number[];
        };
        /** @description An activated action was given up for nothing (C19). */
        Calimala1ActionSkipped: {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "action_skipped";
            seat: number;
            action: components["schemas"]["CalimalaAction"];
        };
        /** @description The activation of a seat's disc is over (C21). */
        Calimala1ActivationEnded: {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "activation_ended";
            seat: number;
        };
        /** @description The laid out board (C11, C12). grid: action of each cell 0..8. council: tiles in council order. face_up: open final card, if there is one. */
        Calimala1BoardLaidOut: {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "board_laid_out";
            grid?: components["schemas"]["CalimalaAction"][];
            council?: components["schemas"]["CalimalaCategory"][];
            face_up?: components["schemas"]["CalimalaCategory"];
        };
        /** @description An action card was carried out and discarded (C20, C22). workshops: as in ActionPerformed. */
        Calimala1CardPlayed: {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "card_played";
            seat: number;
            action: components["schemas"]["CalimalaAction"];
            build?: components["schemas"]["CalimalaProject"];
            city?: components["schemas"]["CalimalaCity"];
            building?: components["schemas"]["CalimalaBuilding"];
            resource?: components["schemas"]["CalimalaResource"];
            cities?: components["schemas"]["CalimalaCity"][];
            workshops?: number[];
        };
        /** @description A command of calimala/1. As recorded in a commit: a move with its seat, without parts hidden from the reader. */
        Calimala1Command: components["schemas"]["Calimala1SetUpCommand"] | components["schemas"]["Calimala1KeepScoringCardCommand"] | components["schemas"]["Calimala1TakeActionCardCommand"] | components["schemas"]["Calimala1PlaceDiscCommand"] | components["schemas"]["Calimala1PerformCommand"] | components["schemas"]["Calimala1PlayCardCommand"] | components["schemas"]["Calimala1CompensateCommand"] | components["schemas"]["Calimala1SkipCommand"] | components["schemas"]["Calimala1EndActivationCommand"] | components["schemas"]["Calimala1GiveUpDiscCommand"] | components["schemas"]["Calimala1ScoreCommand"];
        /** @description One accepted command with the events that it caused, as the caller may see them. The rules are calimala/1. */
        Calimala1Commit: {
            /** @description The match's id. */
            match: components["schemas"]["MatchId"];
            /**
             * @description The game's key.
             * @constant
             */
            game: "calimala";
            /**
             * @description The rules version of the commit. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            rules: "calimala/1";
            /** @description Version of the commit. */
            version: number;
            /**
             * Format: date-time
             * @description Time of the commit.
             */
            time: string;
            /** @description Actor of the commit. */
            actor: components["schemas"]["Actor"];
            /** @description The command. */
            command: components["schemas"]["Calimala1Command"] | components["schemas"]["LobbyCommand"];
            /** @description The events of the command, in order. */
            events: (components["schemas"]["Calimala1Event"] | components["schemas"]["LobbyEvent"])[];
            /** @description Hash of the commit. */
            hash: string;
            /** @description Hash of the commit before it. */
            prev: string;
            /** @description Signature by the key of its seat (M18). Left out if there is none, or if the caller may not see it. */
            signature?: string;
            /** @description The receipt. Only in the answer to the maker of the commit and in that of `getCommit`. */
            receipt?: components["schemas"]["Receipt"];
        };
        /** @description Draw a card for an activated action that cannot be carried out (C19). */
        Calimala1CompensateCommand: {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "compensate";
            seat: number;
            action: components["schemas"]["CalimalaAction"];
        };
        /** @description An activated action was given up for a card (C19, C22). drew: false if no card was left. */
        Calimala1Compensated: {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "compensated";
            seat: number;
            action: components["schemas"]["CalimalaAction"];
            drew: boolean;
            card?: components["schemas"]["CalimalaAction"];
        };
        /** @description The discards became the deck (C22). */
        Calimala1DeckRenewed: {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "deck_renewed";
        };
        /** @description A seat's disc left a street for the council. The white disc went on top of that stack or left the game (C33). */
        Calimala1DiscGivenUp: {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "disc_given_up";
            seat: number;
            street: components["schemas"]["CalimalaStreet"];
            position: number;
            tile: components["schemas"]["CalimalaCategory"];
            white_stays: boolean;
        };
        /** @description A disc was placed (C14, C16). activates: the owners of the activated discs, from the top down, the placed disc first. */
        Calimala1DiscPlaced: {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "disc_placed";
            seat: number;
            street: components["schemas"]["CalimalaStreet"];
            disc: components["schemas"]["CalimalaDisc"];
            activates: number[];
        };
        /** @description The coloured disc at the bottom of a stack took the seat at the next tile (C31). */
        Calimala1DiscPromoted: {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "disc_promoted";
            seat: number;
            street: components["schemas"]["CalimalaStreet"];
            tile: components["schemas"]["CalimalaCategory"];
        };
        /** @description The bottom disc of a stack left the game without a seat (C40). */
        Calimala1DiscRemoved: {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "disc_removed";
            street: components["schemas"]["CalimalaStreet"];
        };
        /** @description The open action cards that nobody took joined the deck (C13). */
        Calimala1DraftEnded: {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "draft_ended";
            left: components["schemas"]["CalimalaAction"][];
        };
        /** @description End one's activation when its actions are used up (C21). */
        Calimala1EndActivationCommand: {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "end_activation";
            seat: number;
        };
        /** @description An event of calimala/1. */
        Calimala1Event: components["schemas"]["Calimala1BoardLaidOut"] | components["schemas"]["Calimala1ScoringCardsDealt"] | components["schemas"]["Calimala1ScoringCardKept"] | components["schemas"]["Calimala1ActionCardTaken"] | components["schemas"]["Calimala1DraftEnded"] | components["schemas"]["Calimala1DiscPlaced"] | components["schemas"]["Calimala1ActionPerformed"] | components["schemas"]["Calimala1CardPlayed"] | components["schemas"]["Calimala1Compensated"] | components["schemas"]["Calimala1DeckRenewed"] | components["schemas"]["Calimala1ActionSkipped"] | components["schemas"]["Calimala1ActivationEnded"] | components["schemas"]["Calimala1DiscPromoted"] | components["schemas"]["Calimala1WhiteDiscExchanged"] | components["schemas"]["Calimala1WhiteDiscLifted"] | components["schemas"]["Calimala1DiscGivenUp"] | components["schemas"]["Calimala1SeatLeftEmpty"] | components["schemas"]["Calimala1DiscRemoved"] | components["schemas"]["Calimala1TileScored"] | components["schemas"]["Calimala1PlayEnded"] | components["schemas"]["Calimala1FinalCardsRevealed"] | components["schemas"]["Calimala1FinalCardScored"] | components["schemas"]["Calimala1MatchEnded"];
        /** @description A final scoring card was settled for everybody (C41). The fields are those of TileScored. */
        Calimala1FinalCardScored: {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "final_card_scored";
            category: components["schemas"]["CalimalaCategory"];
            counts: number[];
            order: number[];
            decided_by: components["schemas"]["CalimalaDecider"][];
            points: number[];
        };
        /** @description The kept final scoring card of each seat (C41). */
        Calimala1FinalCardsRevealed: {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "final_cards_revealed";
            cards: components["schemas"]["CalimalaCategory"][];
        };
        /** @description Move one's own disc from a street to the council seat (C33). position: 0 is the bottom of the stack. */
        Calimala1GiveUpDiscCommand: {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "give_up_disc";
            seat: number;
            street: components["schemas"]["CalimalaStreet"];
            position: number;
        };
        /** @description Keep one of the dealt final scoring cards, secretly (C12). */
        Calimala1KeepScoringCardCommand: {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "keep_scoring_card";
            seat: number;
            card?: components["schemas"]["CalimalaCategory"];
        };
        /** @description The points and the rank of each seat. 1 is best, ranks may be shared (C42). */
        Calimala1MatchEnded: {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "match_ended";
            points: number[];
            ranks: number[];
        };
        /** @description Carry out an activated action (C19) with the parameters that it takes. build: build, and city for a trade house (C24). artwork: building (C25). ship, transport: cities, one for each cloth (C27, C28). contribute: resource and building (C29). The others take none. */
        Calimala1PerformCommand: {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "perform";
            seat: number;
            action: components["schemas"]["CalimalaAction"];
            build?: components["schemas"]["CalimalaProject"];
            city?: components["schemas"]["CalimalaCity"];
            building?: components["schemas"]["CalimalaBuilding"];
            resource?: components["schemas"]["CalimalaResource"];
            cities?: components["schemas"]["CalimalaCity"][];
        };
        /** @description Place a disc on a street (C14). */
        Calimala1PlaceDiscCommand: {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "place_disc";
            seat: number;
            street: components["schemas"]["CalimalaStreet"];
            disc: components["schemas"]["CalimalaDisc"];
        };
        /** @description Play an action card from the hand (C20). The parameters are those of Perform. */
        Calimala1PlayCardCommand: {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "play_card";
            seat: number;
            action: components["schemas"]["CalimalaAction"];
            build?: components["schemas"]["CalimalaProject"];
            city?: components["schemas"]["CalimalaCity"];
            building?: components["schemas"]["CalimalaBuilding"];
            resource?: components["schemas"]["CalimalaResource"];
            cities?: components["schemas"]["CalimalaCity"][];
        };
        /** @description No more discs will be placed. The rest is scored (C39, C40). */
        Calimala1PlayEnded: {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "play_ended";
        };
        /** @description A preview of a move. The rules are calimala/1. */
        Calimala1Preview: {
            /**
             * @description The game's key.
             * @constant
             */
            game: "calimala";
            /**
             * @description The rules version of the match. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            rules: "calimala/1";
            /** @description Version of the match before the move. */
            version: number;
            /** @description The events of the move, each with its changes as far as known. */
            events: components["schemas"]["Calimala1PreviewedEvent"][];
            /** @description True: nothing was committed. */
            dry_run: boolean;
        };
        /** @description An event in a preview, with its changes. */
        Calimala1PreviewedEvent: {
            /** @description Fields to be decided by chance. */
            drawn?: string[];
            /** @description The event in words. */
            sentence: components["schemas"]["Sentence"];
            /** @description Its changes, if known. */
            changes?: components["schemas"]["Change"][];
        } | components["schemas"]["Calimala1Event"];
        /** @description The house settles one scoring tile or one final scoring card (C38). */
        Calimala1ScoreCommand: {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "score";
        };
        /** @description A seat kept one of its final scoring cards and boxed the rest (C12). */
        Calimala1ScoringCardKept: {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "scoring_card_kept";
            seat: number;
            card?: components["schemas"]["CalimalaCategory"];
        };
        /** @description A seat was dealt its final scoring cards (C12). */
        Calimala1ScoringCardsDealt: {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "scoring_cards_dealt";
            seat: number;
            cards?: components["schemas"]["CalimalaCategory"][];
        };
        /** @description The lifted white disc left the game and nobody took the seat at the tile (C34). */
        Calimala1SeatLeftEmpty: {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "seat_left_empty";
            tile: components["schemas"]["CalimalaCategory"];
        };
        /** @description The house lays out grid and council, and deals the final scoring cards (C11, C12). */
        Calimala1SetUpCommand: {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "set_up";
        };
        /** @description Give an activated action up for nothing (C19). */
        Calimala1SkipCommand: {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "skip";
            seat: number;
            action: components["schemas"]["CalimalaAction"];
        };
        /** @description Take one of the open action cards before the first turn (C13). */
        Calimala1TakeActionCardCommand: {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "take_action_card";
            seat: number;
            card: components["schemas"]["CalimalaAction"];
        };
        /** @description A scoring tile was settled (C35-C37). counts, points: by seat. order: the seats with cubes, best first. decided_by: the decider between each seat of the order and the next. */
        Calimala1TileScored: {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "tile_scored";
            category: components["schemas"]["CalimalaCategory"];
            counts: number[];
            order: number[];
            decided_by: components["schemas"]["CalimalaDecider"][];
            points: number[];
        };
        /** @description The white disc at the bottom joined the seat's reserve. A coloured disc from the reserve took the council seat (C32). */
        Calimala1WhiteDiscExchanged: {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "white_disc_exchanged";
            seat: number;
            street: components["schemas"]["CalimalaStreet"];
            tile: components["schemas"]["CalimalaCategory"];
        };
        /** @description The white disc at the bottom left its stack, to be exchanged for a disc on a street (C33). */
        Calimala1WhiteDiscLifted: {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "white_disc_lifted";
            seat: number;
            street: components["schemas"]["CalimalaStreet"];
        };
        /**
         * @description The nine actions (C2).
         * @enum {string}
         */
        CalimalaAction: "wood" | "brick" | "marble" | "build" | "artwork" | "weave" | "ship" | "transport" | "contribute";
        /** @description An open item of the agenda. */
        CalimalaAgendaItemView: {
            /**
             * @description Kind of the item. The house sets up (opening). All keep a scoring card (keeping). A seat takes an action card (drafting), places a disc (turn) or carries out actions (activation). The bottom disc of a street goes to the council (promotion). A disc is given for a white one (exchange). The house settles a tile (scoring), or the rest in the end (final_scoring).
             * @enum {string}
             */
            type: "opening" | "keeping" | "drafting" | "turn" | "activation" | "promotion" | "exchange" | "scoring" | "final_scoring";
            /** @description Seat to act. Left out if the house, or every seat, is to act. */
            seat?: number;
            /** @description Street of an activation, promotion or exchange. Left out otherwise. */
            street?: components["schemas"]["CalimalaStreet"];
            /** @description Remaining uses of each of the street's two actions. Only in an activation (C17, C18). */
            left?: {
                [key: string]: number;
            };
            /** @description True for the placed disc until one of its actions is carried out (C15). Only in an activation. */
            duty_unmet?: boolean;
        };
        /**
         * @description Three buildings under construction, then the town hall, for artworks only (C8).
         * @enum {string}
         */
        CalimalaBuilding: "santa_maria_del_fiore" | "san_miniato" | "santa_croce" | "palazzo_vecchio";
        /** @description A building and its cubes. Palazzo Vecchio takes artworks only (C8). */
        CalimalaBuildingView: {
            /** @description Its artworks (C25). */
            artwork: components["schemas"]["CalimalaCubesView"];
            /** @description Its wood (C29). Left out at Palazzo Vecchio. */
            wood?: components["schemas"]["CalimalaCubesView"];
            /** @description Its brick (C29). Left out at Palazzo Vecchio. */
            brick?: components["schemas"]["CalimalaCubesView"];
            /** @description Its marble (C29). Left out at Palazzo Vecchio. */
            marble?: components["schemas"]["CalimalaCubesView"];
        };
        /**
         * @description The categories of scorings: 15 scoring tiles and Palazzo Vecchio (C5, C6).
         * @enum {string}
         */
        CalimalaCategory: "barcelona" | "lisbon" | "london" | "troyes" | "bruges" | "hamburg" | "santa_maria_del_fiore" | "san_miniato" | "santa_croce" | "artwork" | "port_cities" | "trade_cities" | "contributed_wood" | "contributed_brick" | "contributed_marble" | "palazzo_vecchio";
        /**
         * @description Three port cities, then three trade cities (C7).
         * @enum {string}
         */
        CalimalaCity: "barcelona" | "lisbon" | "london" | "troyes" | "bruges" | "hamburg";
        /** @description A city and its cloth (C7). */
        CalimalaCityView: {
            /** @description Cloth there, by seat. */
            cloth: number[];
            /** @description Amount of cloth that it still takes. */
            room: number;
        };
        /** @description Draw a card for an activated action that cannot be carried out (C19). */
        CalimalaCompensateMove: {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "compensate";
            action: components["schemas"]["CalimalaAction"];
        };
        /** @description The slots for one sort of cubes at a building (C8). */
        CalimalaCubesView: {
            /** @description Cubes there, by seat. */
            cubes: number[];
            /** @description Number of free slots. */
            room: number;
        };
        /**
         * @description The reason for one player above the next in a scoring, or for a shared place (C36, C37).
         * @enum {string}
         */
        CalimalaDecider: "count" | "sum" | "seats" | "first_to_seats" | "first_artwork" | "shared";
        /**
         * @description The two sorts of discs a player places (C10).
         * @enum {string}
         */
        CalimalaDisc: "coloured" | "white";
        /**
         * @description Rulebook for the exchange of a white fourth disc without a coloured disc in reserve (C33).
         * @enum {string}
         */
        CalimalaEdition: "english" | "hungarian" | "german";
        /** @description End one's activation when its actions are used up (C21). */
        CalimalaEndActivationMove: {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "end_activation";
        };
        /** @description Move one's own disc from a street to the council seat (C33). position: 0 is the bottom of the stack. */
        CalimalaGiveUpDiscMove: {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "give_up_disc";
            street: components["schemas"]["CalimalaStreet"];
            position: number;
        };
        /** @description Keep one of the dealt final scoring cards, secretly (C12). */
        CalimalaKeepScoringCardMove: {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "keep_scoring_card";
            card: components["schemas"]["CalimalaCategory"] | null;
        };
        /** @description Public facts that no view shows. */
        CalimalaKnown: {
            /** @description Public facts about each player, by seat. */
            players: components["schemas"]["CalimalaKnownPlayer"][];
        };
        /** @description Public facts about one player's hand. */
        CalimalaKnownPlayer: {
            /** @description Action card that was taken openly and is still in the hand. Null before one is taken, and once a card of its action was played (C13). */
            drafted_card: components["schemas"]["CalimalaAction"] | null;
        };
        /**
         * @description Layout of the action tiles: shuffled, or as for a first game (C4).
         * @enum {string}
         */
        CalimalaLayout: "random" | "first_game";
        /** @description Legal moves of the caller's seat, in the form to post. The game is Calimala. */
        CalimalaLegalMoves: {
            /**
             * @description The game's key. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            game: "calimala";
            /** @description Version of the match. */
            version: number;
            /** @description Parties awaited. */
            waiting_for: components["schemas"]["WaitingFor"];
            /** @description The moves. [] if the seat may not act. */
            moves: components["schemas"]["CalimalaMove"][];
            /** @description Legal moves beyond the listed ones, by command, in the game's own terms. */
            beyond: components["schemas"]["CalimalaNothingBeyond"];
            /** @description Seat of the moves. Null: no seat's token was sent, so there are no moves. */
            seat: number | null;
        };
        /** @description The consequences of some moves. The game is Calimala. */
        CalimalaLine: {
            /** @description The match's id. */
            match: components["schemas"]["MatchId"];
            /**
             * @description The game's key. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            game: "calimala";
            /** @description The rules version of the match. */
            rules: string;
            /** @description Version at the start of the line. */
            version: number;
            /** @description Seat of the view. Null: the view of the public. */
            seat: number | null;
            /** @description True if everything hidden from the seat was drawn anew: the match is not revealed. */
            imagined: boolean;
            /** @description The moves and their consequences, one after another. */
            steps: components["schemas"]["CalimalaLineStep"][];
            /** @description Reason for an early end of the line. Null: none. */
            refusal: components["schemas"]["LineRefusal"] | null;
            /** @description Legal next moves, each with its `seat`. */
            moves: {
                [key: string]: unknown;
            }[];
            /** @description Legal moves beyond the listed ones, by seat (`seat:0`) and command. */
            beyond: {
                [key: string]: unknown;
            };
        };
        /** @description A move of a line, or an act of the house in between, with its consequences. The game is Calimala. */
        CalimalaLineStep: {
            /** @description Index of the move in the line. Null: the house acts. */
            move_index: number | null;
            /** @description The events, each with a `sentence`. `drawn`: the fields decided by the seed. */
            events: {
                [key: string]: unknown;
            }[];
            /** @description Parties awaited next. */
            waiting_for: components["schemas"]["WaitingFor"];
            /** @description The game after the step, as the viewer may see it. */
            state: components["schemas"]["CalimalaView"];
        };
        /** @description A match and its standing. The game is Calimala. */
        CalimalaMatch: {
            /** @description The match's id. */
            match: components["schemas"]["MatchId"];
            /**
             * @description The game's key. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            game: "calimala";
            /** @description Rules version of the match. It never changes. */
            rules: string;
            /** @description Number of the match rules (M1). */
            match_rules: number;
            /** @description Options of the match. They never change. */
            options: components["schemas"]["CalimalaMatchOptions"];
            /** @description Visible to anybody, or only to holders of its tokens. */
            visibility: components["schemas"]["Visibility"];
            /** @description True if humans may ask for advice (M14). */
            advice: boolean;
            /** @description Phase of the match. */
            status: components["schemas"]["MatchStatus"];
            /** @description Number of commits. */
            version: number;
            /** @description Hash of the last commit. */
            hash: string;
            /**
             * Format: date-time
             * @description Time of the opening.
             */
            created: string;
            /**
             * Format: date-time
             * @description Time of the last commit.
             */
            updated: string;
            /** @description Parties awaited. */
            waiting_for: components["schemas"]["WaitingFor"];
            /**
             * Format: date-time
             * @description Earliest end of a seat's time (M15, M19). Null: nobody's time runs.
             */
            deadline: string | null;
            /** @description The seats and their holders. */
            seats: components["schemas"]["Seat"][];
            /** @description SHA-256 of the key behind every draw (M10). */
            commitment: string;
            /** @description The result. Null if there is none. */
            outcome: components["schemas"]["Outcome"] | null;
            /** @description Only of a match with a clock (M15). */
            clock?: components["schemas"]["Clock"];
            /** @description Only if moves can be taken back (M17). */
            take_back?: components["schemas"]["TakeBack"];
            /** @description The server's receipt for the last commit. */
            receipt?: components["schemas"]["Receipt"];
            /** @description Tokens replaced or revoked and names erased without a commit, the last 20. */
            changes?: components["schemas"]["Beside"][];
            /**
             * Format: date-time
             * @description Time from which the owner may let a bot play a human's seat (M8). Only of a running match. Null: the clock decides.
             */
            replaceable_from?: string | null;
            /**
             * Format: date-time
             * @description Time of the import. Only of a match played elsewhere: its times and players are the word of the record's maker.
             */
            imported?: string;
            /** @description Only of an imported match. `command line`, or the first 16 hex digits of the SHA-256 of the operator's token. */
            imported_by?: string;
            /** @description The match that follows this one (M20). */
            rematch?: components["schemas"]["MatchId"];
            /** @description The match that this one follows (M20). */
            rematch_of?: components["schemas"]["MatchId"];
            /** @description True if the humans draw together (M19). Otherwise left out. */
            joint_entropy?: boolean;
            /** @description The base of a fork. Left out otherwise. */
            forked_from?: components["schemas"]["ForkedFrom"];
        };
        /** @description The options that a match of Calimala is played with. */
        CalimalaMatchOptions: {
            /** @description Rulebook for the exchange of a white fourth disc without a coloured disc in reserve (C33). */
            edition: components["schemas"]["CalimalaEdition"];
            /** @description Layout of the action tiles: shuffled, or as for a first game (C4). */
            layout: components["schemas"]["CalimalaLayout"];
        };
        /** @description A move of Calimala. As it is posted: whole, and without a seat, since the token tells it. */
        CalimalaMove: components["schemas"]["CalimalaKeepScoringCardMove"] | components["schemas"]["CalimalaTakeActionCardMove"] | components["schemas"]["CalimalaPlaceDiscMove"] | components["schemas"]["CalimalaPerformMove"] | components["schemas"]["CalimalaPlayCardMove"] | components["schemas"]["CalimalaCompensateMove"] | components["schemas"]["CalimalaSkipMove"] | components["schemas"]["CalimalaEndActivationMove"] | components["schemas"]["CalimalaGiveUpDiscMove"];
        /** @description Every legal move is listed. */
        CalimalaNothingBeyond: Record<string, never>;
        /** @description The options of Calimala. */
        CalimalaOptions: {
            /** @description Rulebook for the exchange of a white fourth disc without a coloured disc in reserve (C33). `english` by default. */
            edition?: components["schemas"]["CalimalaEdition"];
            /** @description Layout of the action tiles: shuffled, or as for a first game (C4). `random` by default. */
            layout?: components["schemas"]["CalimalaLayout"];
        };
        /** @description The part of a view that only the player may see (C43). */
        CalimalaOwnView: {
            /** @description Number of cards by action. Actions without cards are left out. */
            hand: {
                [key: string]: number;
            };
            /** @description Dealt final scoring cards, the kept one among them (C12). */
            scoring_cards_dealt: components["schemas"]["CalimalaCategory"][];
            /** @description Kept final scoring card. Null before one is kept (C12). */
            scoring_card_kept: components["schemas"]["CalimalaCategory"] | null;
        };
        /** @description Carry out an activated action (C19) with the parameters that it takes. build: build, and city for a trade house (C24). artwork: building (C25). ship, transport: cities, one for each cloth (C27, C28). contribute: resource and building (C29). The others take none. */
        CalimalaPerformMove: {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "perform";
            action: components["schemas"]["CalimalaAction"];
            build?: components["schemas"]["CalimalaProject"] | null;
            city?: components["schemas"]["CalimalaCity"] | null;
            building?: components["schemas"]["CalimalaBuilding"] | null;
            resource?: components["schemas"]["CalimalaResource"] | null;
            cities?: components["schemas"]["CalimalaCity"][] | null;
        };
        /** @description Place a disc on a street (C14). */
        CalimalaPlaceDiscMove: {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "place_disc";
            street: components["schemas"]["CalimalaStreet"];
            disc: components["schemas"]["CalimalaDisc"];
        };
        /** @description Play an action card from the hand (C20). The parameters are those of Perform. */
        CalimalaPlayCardMove: {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "play_card";
            action: components["schemas"]["CalimalaAction"];
            build?: components["schemas"]["CalimalaProject"] | null;
            city?: components["schemas"]["CalimalaCity"] | null;
            building?: components["schemas"]["CalimalaBuilding"] | null;
            resource?: components["schemas"]["CalimalaResource"] | null;
            cities?: components["schemas"]["CalimalaCity"][] | null;
        };
        /** @description Public belongings of one player (C9, C10). */
        CalimalaPlayerView: {
            /** @description Points so far. */
            points: number;
            /** @description Number of coloured discs left to place. */
            coloured_discs: number;
            /** @description Number of white discs left to place. */
            white_discs: number;
            /** @description Number of cubes in the reserve. */
            reserve: number;
            /** @description Number of cubes in the wood warehouse. */
            wood: number;
            /** @description Number of cubes in the brick warehouse. */
            brick: number;
            /** @description Number of cubes in the marble warehouse. */
            marble: number;
            /** @description Cloth in each workshop. */
            workshops: number[];
            /** @description Number of ships. */
            ships: number;
            /** @description Cities with a trade house of this player. */
            trade_houses: components["schemas"]["CalimalaCity"][];
            /** @description Number of action cards in hand. The cards are secret. */
            hand_size: number;
        };
        /**
         * @description The projects of the build action (C24).
         * @enum {string}
         */
        CalimalaProject: "ship" | "workshop" | "trade_house";
        /**
         * @description The resources of warehouses. Their numbers are those of the actions that gain them (C9).
         * @enum {string}
         */
        CalimalaResource: "wood" | "brick" | "marble";
        /** @description Give an activated action up for nothing (C19). */
        CalimalaSkipMove: {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "skip";
            action: components["schemas"]["CalimalaAction"];
        };
        /** @description The match at a version, as the caller may see it. The game is Calimala. */
        CalimalaState: {
            /** @description The match's id. */
            match: components["schemas"]["MatchId"];
            /**
             * @description The game's key. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            game: "calimala";
            /** @description Version of the state. */
            version: number;
            /**
             * Format: date-time
             * @description Time of that version.
             */
            time: string;
            /** @description Hash of its commit. */
            hash: string;
            /** @description Phase of the match. */
            status: components["schemas"]["MatchStatus"];
            /** @description Parties awaited. */
            waiting_for: components["schemas"]["WaitingFor"];
            /** @description Seat of the view. Null: the view of the public. */
            seat: number | null;
            /** @description The game as the caller may see it. Null before the start. */
            state: components["schemas"]["CalimalaView"] | null;
            /** @description Public facts from the past of the match that no state shows. Null before the start. No commit holds a digest of it. */
            known: components["schemas"]["CalimalaKnown"] | null;
            /** @description The clock at that version. Only of a match with a clock (M15). */
            clock?: components["schemas"]["Clock"];
            /** @description Only while a seat asks to take moves back (M17). */
            take_back_ask?: components["schemas"]["TakeBackAsk"];
            /** @description The result of the match, only after the end of its game. The ranks in `state` are the game's alone. In this result a seat that resigned ranks last (M16). */
            outcome?: components["schemas"]["Outcome"];
        };
        /**
         * @description The twelve streets (C3). Each has the names of the two cells it joins, such as "0-1".
         * @enum {string}
         */
        CalimalaStreet: "0-1" | "1-2" | "3-4" | "4-5" | "6-7" | "7-8" | "0-3" | "1-4" | "2-5" | "3-6" | "4-7" | "5-8";
        /** @description Take one of the open action cards before the first turn (C13). */
        CalimalaTakeActionCardMove: {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "take_action_card";
            card: components["schemas"]["CalimalaAction"];
        };
        /** @description A match of Calimala as a seat, or the public, sees it. All is public but `own` (C43). */
        CalimalaView: {
            /** @description The seats that may act now. [] at the end. [-1] is the house, in this view alone: the digest of the view binds its form. */
            actors: number[];
            /** @description Open items, the next one first. */
            agenda: components["schemas"]["CalimalaAgendaItemView"][];
            /** @description Action of each of the nine cells, row by row (C3). */
            grid: components["schemas"]["CalimalaAction"][];
            /** @description Discs on each street from the bottom up: the seat of a coloured one, or "white" (C14). */
            streets: {
                [key: string]: (number | "white")[];
            };
            /** @description Scoring tiles in the order of scoring (C11). */
            council: components["schemas"]["CalimalaCategory"][];
            /** @description Seat at each tile so far, in council order. Null: nobody (C31, C34). */
            council_seats: (number | null)[];
            /** @description Number of scored tiles. */
            tiles_scored: number;
            /** @description Seat that gave each artwork at Palazzo Vecchio, in order (C37). */
            palazzo_patrons: number[];
            /** @description Cities and their cloth. */
            cities: {
                [key: string]: components["schemas"]["CalimalaCityView"];
            };
            /** @description Buildings and their cubes. */
            buildings: {
                [key: string]: components["schemas"]["CalimalaBuildingView"];
            };
            /** @description Action cards that can be taken in the draft (C13). */
            open_cards: components["schemas"]["CalimalaAction"][];
            /** @description Number of action cards in the deck. */
            deck_size: number;
            /** @description Number of cards on the discard pile by action. Actions without cards are left out. */
            discards: {
                [key: string]: number;
            };
            /** @description Final scoring card that lies face up. Null: none (C12). */
            face_up_card: components["schemas"]["CalimalaCategory"] | null;
            /** @description Kept final scoring card of each seat. Null until revealed (C41). */
            final_cards: components["schemas"]["CalimalaCategory"][] | null;
            /** @description Number of scored final scoring cards. */
            final_cards_scored: number;
            /** @description Public belongings of each player, by seat. */
            players: components["schemas"]["CalimalaPlayerView"][];
            /** @description Rank of each seat, 1 the best. Null until the end (C42). */
            ranks: number[] | null;
            /** @description The part that the seat alone sees. Left out for the public. */
            own?: components["schemas"]["CalimalaOwnView"];
        };
        /** @description A weighed move. */
        Candidate: {
            /** @description The move, in the form to post. */
            move: components["schemas"]["Move"];
            /** @description The bot's estimate of the seat's chance to win after the move. Null: not weighed. */
            win_chance: number | null;
        };
        /** @description A commit as stored in the journal: content, hash and the visible secret parts. */
        ChainedCommit: {
            /** @description The content. */
            commit: {
                [key: string]: unknown;
            };
            /** @description SHA-256 of the content in canonical JSON. */
            hash: string;
            /** @description The secret parts by audience. */
            secrets: {
                [key: string]: unknown;
            };
        };
        /** @description One operation of a JSON Patch (RFC 6902). `was` is the replaced or removed value. */
        Change: {
            /**
             * @description The operation.
             * @enum {string}
             */
            op: "add" | "remove" | "replace";
            /** @description A JSON pointer into the state. */
            path: string;
            /** @description The value afterwards, any JSON value. Left out by `remove`. */
            value?: unknown;
            /** @description The value before, any JSON value. Left out by `add`. */
            was?: unknown;
        };
        /** @description An option with a choice of a few values. */
        ChoiceOption: {
            /** @description Name of the option. */
            name: string;
            /** @description Meaning of the option. */
            text: string;
            /**
             * @description Kind of the option's values. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            kind: "choice";
            /** @description Default value. */
            default: string;
            /** @description The values to choose from. */
            choices: string[];
        };
        /** @description The clock of a match (M15). */
        Clock: {
            /** @description Seconds in a bank at first, and at most. */
            bank_s: number;
            /** @description Seconds added after a turn. */
            move_s: number;
            /** @description Level of the stand-in bots. */
            level: components["schemas"]["BotLevel"];
            /** @description Milliseconds in each bank at the last commit, by seat. */
            left_ms: number[];
            /** @description Seats that pay time since the last commit. */
            paying: number[];
            /**
             * Format: date-time
             * @description Time when the first bank of a paying seat is empty. Null: no time runs.
             */
            due: string | null;
        };
        /** @description A command in a match of any game. */
        Command: components["schemas"]["LobbyCommand"] | components["schemas"]["Calimala1Command"] | components["schemas"]["Firenze1Command"];
        /** @description One accepted command with the events that it caused, as the caller may see them. Distinguished by `rules`. */
        Commit: components["schemas"]["Calimala1Commit"] | components["schemas"]["Firenze1Commit"];
        /** @description A page of the history, oldest first. */
        CommitList: {
            /** @description The commits. */
            commits: components["schemas"]["Commit"][];
            /** @description URL of the next page, relative to this server. Null at the end. The header Link has it, too. */
            next: string | null;
        };
        /** @description Chances to win from turn to turn, as bots value positions with everything known. */
        Curve: {
            /** @description One for each start of a turn with changed chances, and one for the end. [] for a game without a bot that can value positions. */
            points: components["schemas"]["CurvePoint"][];
            /** @description The largest changes of at least 0.1, five at most, in order. */
            turning_points: components["schemas"]["TurningPoint"][];
        };
        /** @description Chances at the start of a turn, or at the end. */
        CurvePoint: {
            /** @description The version. */
            version: number;
            /** @description Chance of each seat to win, seat 0 first. */
            win_chances: number[];
        };
        /** @description An option with an object, checked as a whole when a match is opened. */
        DataOption: {
            /** @description Name of the option. */
            name: string;
            /** @description Meaning of the option. */
            text: string;
            /**
             * @description Kind of the option's values. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            kind: "data";
            /** @description Default value. */
            default: components["schemas"]["OptionData"];
        };
        /** @description Commits between two versions, and the changes of the state as the caller sees it. */
        Diff: {
            /** @description Version before `changes`. */
            from: number;
            /** @description The match's id. */
            match: components["schemas"]["MatchId"];
            /** @description Version after `changes`. It may be the earlier one. */
            to: number;
            /** @description The commits in between. Of very many only the first. */
            commits: components["schemas"]["Commit"][];
            /** @description The same commits in sentences. */
            story: components["schemas"]["StoryLine"][];
            /** @description A JSON Patch from the state at `from` to that at `to`. */
            changes: components["schemas"]["Change"][];
        };
        /** @description The pledged entropy (M19). */
        Disclosure: {
            /** @description The 32 bytes in hex. */
            entropy: string;
        };
        /** @description An event in a match of any game. */
        Event: components["schemas"]["LobbyEvent"] | components["schemas"]["Calimala1Event"] | components["schemas"]["Firenze1Event"];
        /** @description The first fault of a history. */
        Fault: {
            /** @description The faulty commit. 0: the match as a whole. */
            commit: number;
            /** @description The reason, for programs. */
            code: string;
            /** @description The reason in words. */
            detail: string;
        };
        /** @description A page of all commits. */
        Feed: {
            /** @description The commits. */
            commits: components["schemas"]["LoggedCommit"][];
            /** @description URL to go on with, relative to this server, also at the end. The header Link has it, too. */
            next: string;
            /** @description ID of the log. Null until its first entry. */
            log: string | null;
        };
        /** @description Spend a Patrician on the event just taken, or none (F31). */
        Firenze1AnswerEventCommand: {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "answer_event";
            seat: number;
            patrician: boolean;
        };
        /** @description The Architect waits for a fulfilment, bound to a tower and +1 or -1, or to neither (F28). */
        Firenze1ArchitectHired: {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "architect_hired";
            seat: number;
            tower?: number;
            by?: number;
        };
        /** @description A tower of three white bricks was delivered to the Campanile (F38). */
        Firenze1BellTowerDelivered: {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "bell_tower_delivered";
            seat: number;
            tower: number;
        };
        /** @description One brick of a tower of this seat went to the pouch (F30, F32). A tower vanishes with its last brick. */
        Firenze1BrickRemoved: {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "brick_removed";
            seat: number;
            tower: number;
            colour: components["schemas"]["FirenzeColour"];
        };
        /** @description A storehouse brick was swapped for one of the pouch (F27). */
        Firenze1BrickSwapped: {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "brick_swapped";
            seat: number;
            give: components["schemas"]["FirenzeColour"];
            take: components["schemas"]["FirenzeColour"];
        };
        /** @description Bricks went from a storehouse to the pouch: a surplus (F24) or a Storehouse Fire (F32). */
        Firenze1BricksDiscarded: {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "bricks_discarded";
            seat: number;
            bricks: components["schemas"]["FirenzeColour"][];
        };
        /** @description A brick came from a card in the row, others went onto that card (F18). */
        Firenze1BricksExchanged: {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "bricks_exchanged";
            seat: number;
            slot: number;
            take: components["schemas"]["FirenzeColour"];
            give: components["schemas"]["FirenzeColour"][];
        };
        /** @description A seat swapped a storehouse brick for one of the target's storehouse (F30). */
        Firenze1BricksTraded: {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "bricks_traded";
            seat: number;
            target: number;
            give: components["schemas"]["FirenzeColour"];
            take: components["schemas"]["FirenzeColour"];
        };
        /** @description Lay at most six bricks onto new and standing towers (F19). Pay for bricks beyond the second. */
        Firenze1BuildCommand: {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "build";
            seat: number;
            lay?: components["schemas"]["Firenze1Lay"][];
            payment?: components["schemas"]["FirenzeColour"][];
        };
        /** @description The building of this turn, perhaps of nothing. The payment went to the pouch (F19). */
        Firenze1Built: {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "built";
            seat: number;
            laid: components["schemas"]["Firenze1Laid"][];
            payment: components["schemas"]["FirenzeColour"][];
        };
        /** @description A card was discarded from a seat's hand or buildings (F24, F31). */
        Firenze1CardDiscarded: {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "card_discarded";
            seat: number;
            card: components["schemas"]["FirenzeCard"];
        };
        /** @description The taken card went to a seat's hand or open buildings (F15). A Monument may go to another seat than the taker's (F36). */
        Firenze1CardKept: {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "card_kept";
            seat: number;
            card: components["schemas"]["FirenzeCard"];
        };
        /** @description The taken card was discarded: settled event, second building or tied Monument (F15, F36). */
        Firenze1CardSpent: {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "card_spent";
            seat: number;
            card: components["schemas"]["FirenzeCard"];
        };
        /** @description A card left the row (F14). The bricks on it went to the seat, the payment onto the slots to the left. */
        Firenze1CardTaken: {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "card_taken";
            seat: number;
            slot: number;
            card: components["schemas"]["FirenzeCard"];
            bricks: components["schemas"]["FirenzeColour"][];
            payment: components["schemas"]["FirenzeColour"][];
        };
        /** @description The points of a seat's copies of one Celebration card in all (F39). */
        Firenze1Celebrated: {
            seat: number;
            card: components["schemas"]["FirenzeCard"];
            copies: number;
            points: number;
        };
        /** @description A church card was fulfilled and discarded (F15). */
        Firenze1ChurchClosed: {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "church_closed";
            card: components["schemas"]["FirenzeCard"];
        };
        /** @description The taken card went onto a church space (F15). */
        Firenze1ChurchOpened: {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "church_opened";
            seat: number;
            card: components["schemas"]["FirenzeCard"];
        };
        /** @description A command of firenze/1. As recorded in a commit: a move with its seat, without parts hidden from the reader. */
        Firenze1Command: components["schemas"]["Firenze1SetUpCommand"] | components["schemas"]["Firenze1TakeCardCommand"] | components["schemas"]["Firenze1AnswerEventCommand"] | components["schemas"]["Firenze1ResolveEventCommand"] | components["schemas"]["Firenze1DiscardCommand"] | components["schemas"]["Firenze1ExchangeCommand"] | components["schemas"]["Firenze1BuildCommand"] | components["schemas"]["Firenze1FulfilCommand"] | components["schemas"]["Firenze1PlayPersonnelCommand"] | components["schemas"]["Firenze1EndTurnCommand"] | components["schemas"]["Firenze1ScoreCommand"];
        /** @description A tower of `bricks` bricks fulfilled a commission (F21). points: printed points, or points on the balcony (F22). level: points of the level tile (F23). privilege: points of church cards (F37). architect: True if the Architect added or took off one level (F28). */
        Firenze1CommissionFulfilled: {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "commission_fulfilled";
            seat: number;
            tower: number;
            colour: components["schemas"]["FirenzeColour"];
            height: number;
            bricks: number;
            points: number;
            level: number;
            privilege: number;
            architect: boolean;
        };
        /** @description One accepted command with the events that it caused, as the caller may see them. The rules are firenze/1. */
        Firenze1Commit: {
            /** @description The match's id. */
            match: components["schemas"]["MatchId"];
            /**
             * @description The game's key.
             * @constant
             */
            game: "firenze";
            /**
             * @description The rules version of the commit. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            rules: "firenze/1";
            /** @description Version of the commit. */
            version: number;
            /**
             * Format: date-time
             * @description Time of the commit.
             */
            time: string;
            /** @description Actor of the commit. */
            actor: components["schemas"]["Actor"];
            /** @description The command. */
            command: components["schemas"]["Firenze1Command"] | components["schemas"]["LobbyCommand"];
            /** @description The events of the command, in order. */
            events: (components["schemas"]["Firenze1Event"] | components["schemas"]["LobbyEvent"])[];
            /** @description Hash of the commit. */
            hash: string;
            /** @description Hash of the commit before it. */
            prev: string;
            /** @description Signature by the key of its seat (M18). Left out if there is none, or if the caller may not see it. */
            signature?: string;
            /** @description The receipt. Only in the answer to the maker of the commit and in that of `getCommit`. */
            receipt?: components["schemas"]["Receipt"];
        };
        /** @description A commission under a neutral seal. */
        Firenze1CoveredCommission: {
            colour: components["schemas"]["FirenzeColour"];
            height: number;
        };
        /** @description A card in the row and the bricks on it. */
        Firenze1Dealt: {
            card: components["schemas"]["FirenzeCard"];
            bricks: components["schemas"]["FirenzeColour"][];
        };
        /** @description The discards, and the rest of the deck, became the new deck (F17, F35). */
        Firenze1DeckShuffled: {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "deck_shuffled";
        };
        /** @description Hand over the bricks that Flood, Tribute or Luxury Tax takes (F34). */
        Firenze1DiscardCommand: {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "discard";
            seat: number;
            bricks?: components["schemas"]["FirenzeColour"][];
        };
        /** @description The bricks and towers that a seat must give up for an event (F33). bricks: number of bricks. exact: colours of the bricks, one entry per brick. Empty: any colours. lost: numbers of the towers. */
        Firenze1Due: {
            seat: number;
            bricks: number;
            exact: components["schemas"]["FirenzeColour"][];
            lost: number[];
        };
        /** @description A seat paid its due for an event (F34). */
        Firenze1DuePaid: {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "due_paid";
            seat: number;
            bricks: components["schemas"]["FirenzeColour"][];
        };
        /** @description An event laid these dues on the seats that it touches (F33). */
        Firenze1DuesLaid: {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "dues_laid";
            card: components["schemas"]["FirenzeCard"];
            dues: components["schemas"]["Firenze1Due"][];
        };
        /** @description A seat was the first to place its last seal (F40). */
        Firenze1EndTileTaken: {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "end_tile_taken";
            seat: number;
            points: number;
        };
        /** @description End the turn. Name the bricks and cards beyond the limits to discard (F24). */
        Firenze1EndTurnCommand: {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "end_turn";
            seat: number;
            bricks?: components["schemas"]["FirenzeColour"][];
            cards?: components["schemas"]["FirenzeCard"][];
        };
        /** @description An event of firenze/1. */
        Firenze1Event: components["schemas"]["Firenze1TableLaid"] | components["schemas"]["Firenze1TurnBegan"] | components["schemas"]["Firenze1CardTaken"] | components["schemas"]["Firenze1CardKept"] | components["schemas"]["Firenze1ChurchOpened"] | components["schemas"]["Firenze1CardSpent"] | components["schemas"]["Firenze1DeckShuffled"] | components["schemas"]["Firenze1RowRefilled"] | components["schemas"]["Firenze1RowShortened"] | components["schemas"]["Firenze1BricksExchanged"] | components["schemas"]["Firenze1Built"] | components["schemas"]["Firenze1TowerTornDown"] | components["schemas"]["Firenze1CommissionFulfilled"] | components["schemas"]["Firenze1BellTowerDelivered"] | components["schemas"]["Firenze1ChurchClosed"] | components["schemas"]["Firenze1EndTileTaken"] | components["schemas"]["Firenze1BricksDiscarded"] | components["schemas"]["Firenze1CardDiscarded"] | components["schemas"]["Firenze1PersonnelPlayed"] | components["schemas"]["Firenze1BrickSwapped"] | components["schemas"]["Firenze1ArchitectHired"] | components["schemas"]["Firenze1SlotRestocked"] | components["schemas"]["Firenze1BrickRemoved"] | components["schemas"]["Firenze1BricksTraded"] | components["schemas"]["Firenze1PlayerAsked"] | components["schemas"]["Firenze1EventAnswered"] | components["schemas"]["Firenze1TowerCollapsed"] | components["schemas"]["Firenze1DuesLaid"] | components["schemas"]["Firenze1DuePaid"] | components["schemas"]["Firenze1PlayEnded"] | components["schemas"]["Firenze1FinalScored"];
        /** @description The taker of an event spent a Patrician on it, or did not (F31). */
        Firenze1EventAnswered: {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "event_answered";
            seat: number;
            patrician: boolean;
        };
        /** @description Take one brick of this colour from a card in the row for bricks of one's own (F18). The own bricks go onto that card. */
        Firenze1ExchangeCommand: {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "exchange";
            seat: number;
            slot: number;
            take: components["schemas"]["FirenzeColour"];
            give?: components["schemas"]["FirenzeColour"][];
        };
        /** @description The final scoring: majorities, Celebrations, points before and after, ranks (F41, F42). */
        Firenze1FinalScored: {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "final_scored";
            majorities: components["schemas"]["Firenze1Majority"][];
            celebrations: components["schemas"]["Firenze1Celebrated"][];
            before: number[];
            points: number[];
            ranks: number[];
        };
        /** @description Deliver a tower to the commission of this colour and height or the Campanile (F21, F38). */
        Firenze1FulfilCommand: {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "fulfil";
            seat: number;
            tower: number;
            colour?: components["schemas"]["FirenzeColour"];
            height?: number;
            campanile?: boolean;
        };
        /** @description Bricks laid onto a tower. A new number is a new tower. */
        Firenze1Laid: {
            tower: number;
            colour: components["schemas"]["FirenzeColour"];
            bricks: number;
        };
        /** @description Bricks of one colour for one tower. Without a number a new tower is begun (F19). */
        Firenze1Lay: {
            colour: components["schemas"]["FirenzeColour"];
            bricks: number;
            tower?: number | null;
        };
        /** @description The majority of one colour (F41). seals: by seat. tied: the seats with most. highest: by seat, the highest seal of each tied seat, 0 for the others. seat: the winner, null if nobody has a seal. */
        Firenze1Majority: {
            colour: components["schemas"]["FirenzeColour"];
            points: number;
            seals: number[];
            tied: number[];
            highest: number[];
            seat?: number | null;
        };
        /** @description A Personnel card was played and discarded (F26). */
        Firenze1PersonnelPlayed: {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "personnel_played";
            seat: number;
            card: components["schemas"]["FirenzeCard"];
        };
        /** @description A balcony on its commission. */
        Firenze1PlacedBalcony: {
            colour: components["schemas"]["FirenzeColour"];
            height: number;
            points: number;
        };
        /** @description The last turn is over. The house scores next (F40, F45). */
        Firenze1PlayEnded: {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "play_ended";
            reason: components["schemas"]["FirenzeEnd"];
        };
        /** @description Play a Personnel card (F26). Fields by card, alchemist: take, give (F27). architect: none, or tower and by (F28). mason, princess: none. wholesaler: slot (F29). saboteur: target (a seat), tower. smuggler: target, take, give (F30). patrician: discard, a card (F31). If give is left out, F25 chooses a brick of another colour than take. */
        Firenze1PlayPersonnelCommand: {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "play_personnel";
            seat: number;
            card: components["schemas"]["FirenzeCard"];
            slot?: number;
            take?: components["schemas"]["FirenzeColour"];
            give?: components["schemas"]["FirenzeColour"];
            target?: number;
            tower?: number;
            by?: number;
            discard?: components["schemas"]["FirenzeCard"];
        };
        /** @description The event waits for its taker: to answer it (F31) or to name the loss (F32). */
        Firenze1PlayerAsked: {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "player_asked";
            seat: number;
            card: components["schemas"]["FirenzeCard"];
            step: components["schemas"]["FirenzeStep"];
        };
        /** @description A preview of a move. The rules are firenze/1. */
        Firenze1Preview: {
            /**
             * @description The game's key.
             * @constant
             */
            game: "firenze";
            /**
             * @description The rules version of the match. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            rules: "firenze/1";
            /** @description Version of the match before the move. */
            version: number;
            /** @description The events of the move, each with its changes as far as known. */
            events: components["schemas"]["Firenze1PreviewedEvent"][];
            /** @description True: nothing was committed. */
            dry_run: boolean;
        };
        /** @description An event in a preview, with its changes. */
        Firenze1PreviewedEvent: {
            /** @description Fields to be decided by chance. */
            drawn?: string[];
            /** @description The event in words. */
            sentence: components["schemas"]["Sentence"];
            /** @description Its changes, if known. */
            changes?: components["schemas"]["Change"][];
        } | components["schemas"]["Firenze1Event"];
        /** @description Name the loss: a tower to Botch or Collapse, bricks to a Storehouse Fire (F32). */
        Firenze1ResolveEventCommand: {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "resolve_event";
            seat: number;
            tower?: number;
            bricks?: components["schemas"]["FirenzeColour"][];
        };
        /** @description A card with bricks was drawn for the last slot (F16). */
        Firenze1RowRefilled: {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "row_refilled";
            card?: components["schemas"]["FirenzeCard"];
            bricks?: components["schemas"]["FirenzeColour"][];
        };
        /** @description No card was left for the last slot (F17). */
        Firenze1RowShortened: {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "row_shortened";
        };
        /** @description The house scores majorities and Celebration cards (F41-F43). */
        Firenze1ScoreCommand: {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "score";
        };
        /** @description The house draws balconies, neutral seals and the row (F10-F13). */
        Firenze1SetUpCommand: {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "set_up";
        };
        /** @description All bricks of a card in the row went to the pouch, and as many were drawn for it (F29). */
        Firenze1SlotRestocked: {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "slot_restocked";
            seat: number;
            slot: number;
            gone: components["schemas"]["FirenzeColour"][];
            bricks?: components["schemas"]["FirenzeColour"][];
        };
        /** @description Balconies I-IV, neutral seals and the row were drawn (F10, F11, F13). */
        Firenze1TableLaid: {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "table_laid";
            balconies?: components["schemas"]["Firenze1PlacedBalcony"][];
            neutral?: components["schemas"]["Firenze1CoveredCommission"][];
            row?: components["schemas"]["Firenze1Dealt"][];
        };
        /** @description Take the card of a slot (F14). payment: one brick for each slot left of it, the first for slot 0. */
        Firenze1TakeCardCommand: {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "take_card";
            seat: number;
            slot: number;
            payment?: components["schemas"]["FirenzeColour"][];
        };
        /** @description A tower was lost with all its bricks (F32). */
        Firenze1TowerCollapsed: {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "tower_collapsed";
            seat: number;
            tower: number;
            colour: components["schemas"]["FirenzeColour"];
            bricks: number;
        };
        /** @description A tower was torn down (F20, F33). `lost` of its bricks went to the pouch, `saved` to the storehouse. */
        Firenze1TowerTornDown: {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "tower_torn_down";
            seat: number;
            tower: number;
            colour: components["schemas"]["FirenzeColour"];
            lost: number;
            saved: number;
        };
        /** @description A seat's turn began (F1). turn: number of turns of all seats before this one. */
        Firenze1TurnBegan: {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "turn_began";
            seat: number;
            turn: number;
        };
        /** @description Spend a Patrician on the event just taken, or none (F31). */
        FirenzeAnswerEventMove: {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "answer_event";
            patrician: boolean;
        };
        /** @description An Architect that was played this turn and has not served yet (F28). */
        FirenzeArchitectView: {
            /** @description Number of the tower that it is bound to. Null: to none. */
            tower: number | null;
            /** @description Number of levels that it adds, 1 or -1. Null: either. */
            by: number | null;
        };
        /** @description A balcony tile on a commission (F10). */
        FirenzeBalconyView: {
            /**
             * @description Its numeral. Balconies are fulfilled in their order (F22).
             * @enum {string}
             */
            numeral: "I" | "II" | "III" | "IV";
            /** @description The colour of its commission. */
            colour: components["schemas"]["FirenzeColour"];
            /** @description The height of its commission. */
            height: number;
            /** @description Its points. They replace the printed ones. */
            points: number;
            /** @description True if it is the one that may be fulfilled next. */
            open: boolean;
        };
        /** @description Legal moves beyond the listed ones, by command. */
        FirenzeBeyond: {
            /** @description Legal builds. Left out if the seat may not build now. */
            build?: components["schemas"]["FirenzeBuildable"];
        };
        /** @description The printed values of a board. They are checked when a match is opened (F4). */
        FirenzeBoard: {
            /** @description The printed points of each commission, by colour and height (F3). */
            commissions: {
                [key: string]: components["schemas"]["FirenzeBoardHeights"];
            };
            /** @description The points for most seals on each colour (F41). */
            majority: {
                [key: string]: components["schemas"]["FirenzeBoardPoints"];
            };
            /** @description The points of the level tiles (F5, F23). */
            level_tiles: components["schemas"]["FirenzeBoardLevelTiles"];
            /** @description The balcony tiles. Four of different numerals must fit on four commissions (F10). */
            balconies: components["schemas"]["FirenzeBoardBalcony"][];
            /** @description Number of copies of each card: 52 in all (F7). */
            cards: {
                [key: string]: components["schemas"]["FirenzeBoardCopies"];
            };
            /** @description Number of start cards among them: 10 in all. Others are left out (F8). */
            start_cards: {
                [key: string]: components["schemas"]["FirenzeBoardCopies"];
            };
        };
        /** @description A balcony tile (F6). */
        FirenzeBoardBalcony: {
            /**
             * @description Its numeral.
             * @enum {string}
             */
            numeral: "I" | "II" | "III" | "IV";
            /** @description The colour of the commission that it covers. */
            colour: components["schemas"]["FirenzeColour"];
            /** @description The height of the commission that it covers. */
            height: number;
            /** @description Its points. They replace the printed ones. */
            points: number;
            /**
             * @description Source of the value, as for points.
             * @enum {string}
             */
            mark?: "page" | "board" | "assumed";
        };
        /** @description The number of copies of a card. */
        FirenzeBoardCopies: {
            /** @description Number of copies of the card. */
            copies: number;
            /**
             * @description Source of the value, as for points.
             * @enum {string}
             */
            mark?: "page" | "board" | "assumed";
        };
        /** @description The points printed beside the commissions of one colour, by height (F3). */
        FirenzeBoardHeights: {
            /** @description For a tower of 3 levels. */
            3: components["schemas"]["FirenzeBoardPoints"];
            /** @description For a tower of 4 levels. */
            4: components["schemas"]["FirenzeBoardPoints"];
            /** @description For a tower of 5 levels. */
            5: components["schemas"]["FirenzeBoardPoints"];
            /** @description For a tower of 6 levels. */
            6: components["schemas"]["FirenzeBoardPoints"];
            /** @description For a tower of 7 levels. */
            7: components["schemas"]["FirenzeBoardPoints"];
            /** @description For a tower of 8 levels. */
            8: components["schemas"]["FirenzeBoardPoints"];
        };
        /** @description The level tiles, by height (F5). */
        FirenzeBoardLevelTiles: {
            /** @description For the first tower of 5 levels. */
            5: components["schemas"]["FirenzeBoardPoints"];
            /** @description For the first tower of 6 levels. */
            6: components["schemas"]["FirenzeBoardPoints"];
            /** @description For the first tower of 7 levels. */
            7: components["schemas"]["FirenzeBoardPoints"];
            /** @description For the first tower of 8 levels. */
            8: components["schemas"]["FirenzeBoardPoints"];
        };
        /** @description Points printed on the board. */
        FirenzeBoardPoints: {
            /** @description The points. */
            points: number;
            /**
             * @description Source of the value: the rules page, a real board ("board" if left out), a guess.
             * @enum {string}
             */
            mark?: "page" | "board" | "assumed";
        };
        /** @description Lay at most six bricks onto new and standing towers (F19). Pay for bricks beyond the second. */
        FirenzeBuildMove: {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "build";
            lay?: components["schemas"]["FirenzeLay"][];
            payment?: components["schemas"]["FirenzeColour"][] | null;
        };
        /** @description Means and limits of a seat's legal builds now, also of the unlisted ones (F19). */
        FirenzeBuildable: {
            /** @description Bricks at hand by colour. Colours without bricks are left out. */
            bricks: {
                [key: string]: number;
            };
            /** @description Towers that may be raised. */
            towers: components["schemas"]["FirenzeTowerView"][];
            /** @description Number of bricks to pay, after laying, for laying 0, 1, ... 6. */
            cost: number[];
            /** @description Number of bricks that can be laid without paying any. */
            free: number;
            /** @description Number of bricks that can be laid and paid for. */
            most: number;
            /** @description True if a Workshop makes it cheaper by 1. */
            workshop: boolean;
            /** @description True if a Mason makes it cheaper by 3. */
            mason: boolean;
        };
        /**
         * @description The action cards by name (F7).
         * @enum {string}
         */
        FirenzeCard: "botch" | "collapse" | "flood" | "luxury_tax" | "renaissance" | "storehouse_fire" | "tribute" | "alchemist" | "architect" | "mason" | "patrician" | "princess" | "saboteur" | "smuggler" | "wholesaler" | "disgrace" | "fame" | "monument" | "recognition" | "scandal" | "bridge" | "warehouse" | "workshop" | "campanile" | "minor_privilege" | "privilege" | "major_privilege";
        /**
         * @description The colours of bricks and towers, cheapest first (F2).
         * @enum {string}
         */
        FirenzeColour: "white" | "yellow" | "green" | "red" | "blue" | "purple";
        /** @description The six commissions of one colour, of the heights 3 to 8 in order (F3). */
        FirenzeCommissionsView: {
            /** @description Points of each: as printed, or its balcony's (F10). */
            points: number[];
            /** @description Cover of each: the seat of its seal, "neutral" (F11), or null for none (F21). */
            seals: (number | "neutral" | null)[];
        };
        /** @description Hand over the bricks that Flood, Tribute or Luxury Tax takes (F34). */
        FirenzeDiscardMove: {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "discard";
            bricks?: components["schemas"]["FirenzeColour"][] | null;
        };
        /**
         * @description Choice of the bricks for Flood and taxes (F34).
         * @enum {string}
         */
        FirenzeDiscards: "automatic" | "chosen";
        /** @description The due of one seat for an event (F33). */
        FirenzeDueView: {
            /** @description The seat. */
            seat: number;
            /** @description Number of bricks that it must hand over. */
            bricks: number;
            /** @description True if it has handed them over (F34). */
            paid: boolean;
            /** @description Their colours, one entry per brick. []: any colours. */
            exact: components["schemas"]["FirenzeColour"][];
            /** @description Numbers of the towers that it cannot pay for and loses. */
            lost: number[];
        };
        /**
         * @description The reason for the end of play (F40, F45).
         * @enum {string}
         */
        FirenzeEnd: "last_seal" | "turn_limit";
        /** @description End the turn. Name the bricks and cards beyond the limits to discard (F24). */
        FirenzeEndTurnMove: {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "end_turn";
            bricks?: components["schemas"]["FirenzeColour"][] | null;
            cards?: components["schemas"]["FirenzeCard"][] | null;
        };
        /** @description Take one brick of this colour from a card in the row for bricks of one's own (F18). The own bricks go onto that card. */
        FirenzeExchangeMove: {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "exchange";
            slot: number;
            take: components["schemas"]["FirenzeColour"];
            give?: components["schemas"]["FirenzeColour"][] | null;
        };
        /** @description Deliver a tower to the commission of this colour and height or the Campanile (F21, F38). */
        FirenzeFulfilMove: {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "fulfil";
            tower: number;
            colour?: components["schemas"]["FirenzeColour"] | null;
            height?: number | null;
            campanile?: boolean;
        };
        /** @description Public facts that no view shows. */
        FirenzeKnown: {
            /** @description Number of start cards still on top of the deck, by card. Others are left out (F13). */
            deck_start_cards: {
                [key: string]: number;
            };
        };
        /** @description Bricks of one colour for one tower. Without a number a new tower is begun (F19). */
        FirenzeLay: {
            colour: components["schemas"]["FirenzeColour"];
            bricks: number;
            tower?: number | null;
        };
        /** @description Legal moves of the caller's seat, in the form to post. The game is Firenze. */
        FirenzeLegalMoves: {
            /**
             * @description The game's key. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            game: "firenze";
            /** @description Version of the match. */
            version: number;
            /** @description Parties awaited. */
            waiting_for: components["schemas"]["WaitingFor"];
            /** @description The moves. [] if the seat may not act. */
            moves: components["schemas"]["FirenzeMove"][];
            /** @description Legal moves beyond the listed ones, by command, in the game's own terms. */
            beyond: components["schemas"]["FirenzeBeyond"];
            /** @description Seat of the moves. Null: no seat's token was sent, so there are no moves. */
            seat: number | null;
        };
        /** @description A level tile, for the first tower of its height (F5, F23). */
        FirenzeLevelTileView: {
            /** @description Its height. */
            height: number;
            /** @description Its points. */
            points: number;
            /** @description Seat that has taken it. Null: nobody. */
            seat: number | null;
        };
        /** @description The consequences of some moves. The game is Firenze. */
        FirenzeLine: {
            /** @description The match's id. */
            match: components["schemas"]["MatchId"];
            /**
             * @description The game's key. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            game: "firenze";
            /** @description The rules version of the match. */
            rules: string;
            /** @description Version at the start of the line. */
            version: number;
            /** @description Seat of the view. Null: the view of the public. */
            seat: number | null;
            /** @description True if everything hidden from the seat was drawn anew: the match is not revealed. */
            imagined: boolean;
            /** @description The moves and their consequences, one after another. */
            steps: components["schemas"]["FirenzeLineStep"][];
            /** @description Reason for an early end of the line. Null: none. */
            refusal: components["schemas"]["LineRefusal"] | null;
            /** @description Legal next moves, each with its `seat`. */
            moves: {
                [key: string]: unknown;
            }[];
            /** @description Legal moves beyond the listed ones, by seat (`seat:0`) and command. */
            beyond: {
                [key: string]: unknown;
            };
        };
        /** @description A move of a line, or an act of the house in between, with its consequences. The game is Firenze. */
        FirenzeLineStep: {
            /** @description Index of the move in the line. Null: the house acts. */
            move_index: number | null;
            /** @description The events, each with a `sentence`. `drawn`: the fields decided by the seed. */
            events: {
                [key: string]: unknown;
            }[];
            /** @description Parties awaited next. */
            waiting_for: components["schemas"]["WaitingFor"];
            /** @description The game after the step, as the viewer may see it. */
            state: components["schemas"]["FirenzeView"];
        };
        /** @description A match and its standing. The game is Firenze. */
        FirenzeMatch: {
            /** @description The match's id. */
            match: components["schemas"]["MatchId"];
            /**
             * @description The game's key. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            game: "firenze";
            /** @description Rules version of the match. It never changes. */
            rules: string;
            /** @description Number of the match rules (M1). */
            match_rules: number;
            /** @description Options of the match. They never change. */
            options: components["schemas"]["FirenzeMatchOptions"];
            /** @description Visible to anybody, or only to holders of its tokens. */
            visibility: components["schemas"]["Visibility"];
            /** @description True if humans may ask for advice (M14). */
            advice: boolean;
            /** @description Phase of the match. */
            status: components["schemas"]["MatchStatus"];
            /** @description Number of commits. */
            version: number;
            /** @description Hash of the last commit. */
            hash: string;
            /**
             * Format: date-time
             * @description Time of the opening.
             */
            created: string;
            /**
             * Format: date-time
             * @description Time of the last commit.
             */
            updated: string;
            /** @description Parties awaited. */
            waiting_for: components["schemas"]["WaitingFor"];
            /**
             * Format: date-time
             * @description Earliest end of a seat's time (M15, M19). Null: nobody's time runs.
             */
            deadline: string | null;
            /** @description The seats and their holders. */
            seats: components["schemas"]["Seat"][];
            /** @description SHA-256 of the key behind every draw (M10). */
            commitment: string;
            /** @description The result. Null if there is none. */
            outcome: components["schemas"]["Outcome"] | null;
            /** @description Only of a match with a clock (M15). */
            clock?: components["schemas"]["Clock"];
            /** @description Only if moves can be taken back (M17). */
            take_back?: components["schemas"]["TakeBack"];
            /** @description The server's receipt for the last commit. */
            receipt?: components["schemas"]["Receipt"];
            /** @description Tokens replaced or revoked and names erased without a commit, the last 20. */
            changes?: components["schemas"]["Beside"][];
            /**
             * Format: date-time
             * @description Time from which the owner may let a bot play a human's seat (M8). Only of a running match. Null: the clock decides.
             */
            replaceable_from?: string | null;
            /**
             * Format: date-time
             * @description Time of the import. Only of a match played elsewhere: its times and players are the word of the record's maker.
             */
            imported?: string;
            /** @description Only of an imported match. `command line`, or the first 16 hex digits of the SHA-256 of the operator's token. */
            imported_by?: string;
            /** @description The match that follows this one (M20). */
            rematch?: components["schemas"]["MatchId"];
            /** @description The match that this one follows (M20). */
            rematch_of?: components["schemas"]["MatchId"];
            /** @description True if the humans draw together (M19). Otherwise left out. */
            joint_entropy?: boolean;
            /** @description The base of a fork. Left out otherwise. */
            forked_from?: components["schemas"]["ForkedFrom"];
        };
        /** @description The options that a match of Firenze is played with. */
        FirenzeMatchOptions: {
            /** @description Printed values of the board (F4). */
            board: components["schemas"]["FirenzeBoard"];
            /** @description True if the Campanile is in the deck (F13). */
            campanile: boolean;
            /** @description Effect of a Patrician on an event for all (F31). */
            patrician: components["schemas"]["FirenzePatrician"];
            /** @description Choice of the bricks for Flood and taxes (F34). */
            discards: components["schemas"]["FirenzeDiscards"];
            /** @description Turns of each player until the match ends (F45). */
            turn_limit: number;
        };
        /** @description A move of Firenze. As it is posted: whole, and without a seat, since the token tells it. */
        FirenzeMove: components["schemas"]["FirenzeTakeCardMove"] | components["schemas"]["FirenzeAnswerEventMove"] | components["schemas"]["FirenzeResolveEventMove"] | components["schemas"]["FirenzeDiscardMove"] | components["schemas"]["FirenzeExchangeMove"] | components["schemas"]["FirenzeBuildMove"] | components["schemas"]["FirenzeFulfilMove"] | components["schemas"]["FirenzePlayPersonnelMove"] | components["schemas"]["FirenzeEndTurnMove"];
        /** @description The options of Firenze. */
        FirenzeOptions: {
            /** @description Printed values of the board (F4). */
            board?: components["schemas"]["FirenzeBoard"];
            /** @description True if the Campanile is in the deck (F13). `true` by default. */
            campanile?: boolean;
            /** @description Effect of a Patrician on an event for all (F31). `cancels` by default. */
            patrician?: components["schemas"]["FirenzePatrician"];
            /** @description Choice of the bricks for Flood and taxes (F34). `automatic` by default. */
            discards?: components["schemas"]["FirenzeDiscards"];
            /** @description Turns of each player until the match ends (F45). `60` by default. */
            turn_limit?: number;
        };
        /**
         * @description Effect of a Patrician on an event for all (F31).
         * @enum {string}
         */
        FirenzePatrician: "cancels" | "spares";
        /** @description Play a Personnel card (F26). Fields by card, alchemist: take, give (F27). architect: none, or tower and by (F28). mason, princess: none. wholesaler: slot (F29). saboteur: target (a seat), tower. smuggler: target, take, give (F30). patrician: discard, a card (F31). If give is left out, F25 chooses a brick of another colour than take. */
        FirenzePlayPersonnelMove: {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "play_personnel";
            card: components["schemas"]["FirenzeCard"];
            slot?: number | null;
            take?: components["schemas"]["FirenzeColour"] | null;
            give?: components["schemas"]["FirenzeColour"] | null;
            target?: number | null;
            tower?: number | null;
            by?: number | null;
            discard?: components["schemas"]["FirenzeCard"] | null;
        };
        /** @description Belongings of one player. All of them are public (F44). */
        FirenzePlayerView: {
            /** @description The seat. */
            seat: number;
            /** @description Points so far. They may be negative (F42). */
            points: number;
            /** @description Number of unused seals (F9). */
            seals: number;
            /** @description Bricks by colour. Colours without bricks are left out. */
            storehouse: {
                [key: string]: number;
            };
            /** @description Towers, the oldest first. */
            towers: components["schemas"]["FirenzeTowerView"][];
            /** @description Personnel and Celebrations, one entry per card (F15). */
            hand: components["schemas"]["FirenzeCard"][];
            /** @description Buildings that lie open (F15). */
            buildings: components["schemas"]["FirenzeCard"][];
            /** @description True if three bricks went to the Campanile (F38). */
            bell_tower: boolean;
        };
        /** @description Name the loss: a tower to Botch or Collapse, bricks to a Storehouse Fire (F32). */
        FirenzeResolveEventMove: {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "resolve_event";
            tower?: number | null;
            bricks?: components["schemas"]["FirenzeColour"][] | null;
        };
        /** @description A card in the row (F13). */
        FirenzeSlotView: {
            /** @description The card. */
            card: components["schemas"]["FirenzeCard"];
            /** @description Bricks on it by colour. Colours without bricks are left out. */
            bricks: {
                [key: string]: number;
            };
        };
        /** @description The match at a version, as the caller may see it. The game is Firenze. */
        FirenzeState: {
            /** @description The match's id. */
            match: components["schemas"]["MatchId"];
            /**
             * @description The game's key. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            game: "firenze";
            /** @description Version of the state. */
            version: number;
            /**
             * Format: date-time
             * @description Time of that version.
             */
            time: string;
            /** @description Hash of its commit. */
            hash: string;
            /** @description Phase of the match. */
            status: components["schemas"]["MatchStatus"];
            /** @description Parties awaited. */
            waiting_for: components["schemas"]["WaitingFor"];
            /** @description Seat of the view. Null: the view of the public. */
            seat: number | null;
            /** @description The game as the caller may see it. Null before the start. */
            state: components["schemas"]["FirenzeView"] | null;
            /** @description Public facts from the past of the match that no state shows. Null before the start. No commit holds a digest of it. */
            known: components["schemas"]["FirenzeKnown"] | null;
            /** @description The clock at that version. Only of a match with a clock (M15). */
            clock?: components["schemas"]["Clock"];
            /** @description Only while a seat asks to take moves back (M17). */
            take_back_ask?: components["schemas"]["TakeBackAsk"];
            /** @description The result of the match, only after the end of its game. The ranks in `state` are the game's alone. In this result a seat that resigned ranks last (M16). */
            outcome?: components["schemas"]["Outcome"];
        };
        /**
         * @description A step to be settled by a seat or the house.
         * @enum {string}
         */
        FirenzeStep: "set_up" | "choose" | "build" | "fulfil" | "answer" | "resolve" | "discard" | "score";
        /** @description Take the card of a slot (F14). payment: one brick for each slot left of it, the first for slot 0. */
        FirenzeTakeCardMove: {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "take_card";
            slot: number;
            payment?: components["schemas"]["FirenzeColour"][] | null;
        };
        /** @description A tower on a seat's construction site. */
        FirenzeTowerView: {
            /** @description Its number. No other tower of the seat ever has it. */
            tower: number;
            /** @description The colour of its bricks. */
            colour: components["schemas"]["FirenzeColour"];
            /** @description Its height in bricks. */
            height: number;
            /** @description True if it is torn down if its owner ends building now without raising it (F20). */
            lost_unless_raised: boolean;
        };
        /** @description A match of Firenze as a seat, or the public, sees it. Only future draws are hidden (F44). */
        FirenzeView: {
            /** @description Step to be settled now. Null: the match is over. */
            step: components["schemas"]["FirenzeStep"] | null;
            /** @description Seat of the current turn. Another may have to act within it. */
            active: number;
            /** @description Number of turns, of all seats, before this one. */
            turn: number;
            /** @description Number of turns of each seat until the match ends (F45). */
            turn_limit: number;
            /** @description Seat that holds the end tile. Null: nobody (F40). */
            end_seat: number | null;
            /** @description True if a brick was exchanged this turn (F18). */
            exchanged: boolean;
            /** @description Personnel played this turn (F26). */
            played: components["schemas"]["FirenzeCard"][];
            /** @description Architect at work. Null: none. */
            architect: components["schemas"]["FirenzeArchitectView"] | null;
            /** @description Card that is taking effect. Null: none. */
            taken: components["schemas"]["FirenzeCard"] | null;
            /** @description Bricks that came with that card, by colour. Colours without bricks are left out. */
            taken_bricks: {
                [key: string]: number;
            };
            /** @description Due of each seat for the event. []: no event takes anything (F33). */
            dues: components["schemas"]["FirenzeDueView"][];
            /** @description Cards that may be taken, slot 0 first (F13). */
            row: components["schemas"]["FirenzeSlotView"][];
            /** @description Cards on the church spaces (F15). */
            church: components["schemas"]["FirenzeCard"][];
            /** @description Commissions of each colour (F3). */
            commissions: {
                [key: string]: components["schemas"]["FirenzeCommissionsView"];
            };
            /** @description Balconies I to IV (F10). */
            balconies: components["schemas"]["FirenzeBalconyView"][];
            /** @description Level tiles by height (F5). */
            level_tiles: components["schemas"]["FirenzeLevelTileView"][];
            /** @description Points for most seals on each colour (F41). */
            majority: {
                [key: string]: number;
            };
            /** @description Bricks in the pouch by colour. Colours without bricks are left out. */
            pouch: {
                [key: string]: number;
            };
            /** @description Number of cards in the deck. */
            deck: number;
            /** @description Number of cards on the discard pile, by card. Others are left out. */
            discards: {
                [key: string]: number;
            };
            /** @description Belongings of each player, by seat. */
            players: components["schemas"]["FirenzePlayerView"][];
            /** @description Rank of each seat, 1 the best. [] until the end (F42). */
            ranks: number[];
            /** @description Legal builds of the seat. Left out if it may not build now. */
            build?: components["schemas"]["FirenzeBuildable"];
        };
        /** @description An option that is on or off. */
        FlagOption: {
            /** @description Name of the option. */
            name: string;
            /** @description Meaning of the option. */
            text: string;
            /**
             * @description Kind of the option's values. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            kind: "flag";
            /** @description Default value. */
            default: boolean;
        };
        /** @description Fields of an event in a preview, beside the event's own. */
        Foretold: {
            /** @description The event in words, without the results of chance. */
            sentence: components["schemas"]["Sentence"];
            /** @description The omitted fields, to be decided by chance. Left out if there are none. */
            drawn?: string[];
            /** @description Changes of the event to the state as the caller sees it: a JSON Patch (RFC 6902), to be applied to the state after the event before. Left out for the first event with a result of chance, and for all events after it. */
            changes?: components["schemas"]["Change"][];
        };
        /** @description A version of a match. */
        Fork: {
            /** @description Its id. */
            match: string;
            /** @description Its version. */
            version: number;
        };
        /** @description The base of a fork (M21). Forks are not rated. */
        ForkedFrom: {
            /** @description The base match. */
            match: components["schemas"]["MatchId"];
            /** @description Version of the base match at the fork. */
            version: number;
        };
        /** @description A game that can be opened. */
        Game: {
            /** @description Key of the game. */
            key: string;
            /** @description Name of the game. */
            title: string;
            /** @description The rules version of new matches. */
            rules: string;
            /** @description Address of the numbered rules. */
            rules_url: string;
            /** @description Possible numbers of seats. */
            seats: number[];
            /** @description Options of a match. */
            options: components["schemas"]["Option"][];
            /** @description Levels of the game's bots, the weakest first. */
            levels: string[];
            /** @description The same levels, described for players. */
            bots: components["schemas"]["Level"][];
            /** @description Types of the game's moves. */
            moves: string[];
        };
        /** @description All games. */
        GameList: {
            /** @description The games. */
            games: components["schemas"]["Game"][];
        };
        /** @description The rating of a player at a game. */
        GameRating: {
            /** @description The game's key. */
            game: string;
            /** @description The place on the ladder with bots. */
            place: number;
            /** @description The rating. */
            rating: components["schemas"]["Rating"];
            /** @description The last 100 ratings, oldest first. */
            history: components["schemas"]["RatingAfter"][];
        };
        /** @description The heading over a sentence. */
        Heading: {
            /**
             * @description Part of the match.
             * @enum {string}
             */
            part: "setup" | "turn" | "scoring" | "end";
            /** @description The heading. */
            title: string;
        };
        /** @description Holder of a token. */
        Holder: string;
        /** @description A webhook and the state of its calls. */
        Hook: {
            /** @description Address of the calls. */
            url: string;
            /** @description Occasions of the calls. */
            on: string[];
            /** @description Result of the last call: an HTTP status, or the failure. Empty before the first call. */
            answer: string;
            /** @description Number of failed calls since the last success. */
            tries: number;
            /**
             * Format: date-time
             * @description Earliest time of the next call after a failure. Null once stopped.
             */
            again: string | null;
            /**
             * @description gone: the address answered 410. given_up: calls failed for three days, and ten times.
             * @enum {string}
             */
            stopped: "" | "gone" | "given_up";
        };
        /** @description A seat of a human from the beginning. The answer has its token. */
        HumanSeat: {
            /**
             * @description Kind of the seat at the opening. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            kind: "human";
            /** @description Name of the seat's player, stored outside the hash chain. */
            name?: string;
            /** @description Bytes in hex that go into the seed of every draw (M10). */
            entropy?: string;
            /** @description A key that signs for the seat (M18). It stays in the history. */
            key?: string;
            /** @description The key's signature over opening, Idempotency-Key and seat (M18). */
            proof?: string;
            /** @description `digest` of the human's pledge, if all draw together (M19). */
            pledge?: string;
        };
        /** @description A match imported from its record. */
        Imported: {
            /** @description The match's id. */
            match: components["schemas"]["MatchId"];
            /** @description Number of commits. */
            commits: number;
        };
        /** @description The joining human. */
        Join: {
            /** @description Name of the seat's player, stored outside the hash chain. */
            name?: string;
            /** @description Bytes in hex that go into the seed of every draw (M10). */
            entropy?: string;
            /** @description A key that signs for the seat (M18). It stays in the history. */
            key?: string;
            /** @description The key's signature over match, seat and head hash (M18). */
            proof?: string;
            /** @description `digest` of the human's pledge, if all draw together (M19). */
            pledge?: string;
        };
        /** @description A taken seat with its token. Only a repeat with the same key shows the token again. */
        Joined: {
            /** @description The number of the seat. */
            seat: number;
            /** @description The bearer token of the seat. */
            token: string;
            /** @description The commit of the join. */
            commit: components["schemas"]["Commit"];
        };
        /** @description A public key for checking receipts. */
        Key: {
            /**
             * Format: date-time
             * @description Start of the key's use.
             */
            from: string;
            /** @description ID of the key in receipts. */
            id: string;
            /**
             * @description Signature algorithm.
             * @constant
             */
            algorithm: "Ed25519";
            /** @description The 32 bytes of the public key, in hex. */
            public: string;
            /**
             * Format: date-time
             * @description End of use. The key vouches for no later commit. Null: in use.
             */
            until: string | null;
        };
        /** @description All keys, oldest first. */
        KeyList: {
            /** @description The keys. */
            keys: components["schemas"]["Key"][];
            /** @description The verifier key of the log (C2SP signed-note). */
            log_key?: string;
        };
        /** @description Part of the ladder of a game, the best players first. */
        Ladder: {
            /** @description The game's key. */
            game: string;
            /** @description The name of the rating model. */
            model: string;
            /** @description The library of the model, with its version. */
            model_version: string;
            /** @description The players. */
            players: components["schemas"]["LadderPlace"][];
            /** @description URL of the next page, relative to this server. Null at the end. The header Link has it, too. */
            next: string | null;
        };
        /** @description A player on a ladder. */
        LadderPlace: {
            /** @description Place on the ladder, from 1. Equal players share a place. */
            place: number;
            /** @description A public key, or `bot:` and a level. */
            player: string;
            /** @description The latest name. Null: none is stored. */
            name: string | null;
            /** @description The rating. */
            rating: components["schemas"]["Rating"];
        };
        /** @description Legal moves of the caller's seat, in the form to post. Distinguished by `game`. */
        LegalMoves: components["schemas"]["CalimalaLegalMoves"] | components["schemas"]["FirenzeLegalMoves"];
        /** @description A level of bots, for players to choose from. */
        Level: {
            /** @description Name of the level. */
            level: string;
            /** @description Style of play, in a sentence. */
            about: string;
        };
        /** @description The consequences of some moves. Distinguished by `game`. */
        Line: components["schemas"]["CalimalaLine"] | components["schemas"]["FirenzeLine"];
        /** @description Reason for an early end of a line: a refused move. */
        LineRefusal: {
            /** @description Index of the refused move in the line. */
            move_index: number;
            /** @description The reason, for programs. */
            code: string;
            /** @description The number of the rule. */
            rule: string;
            /** @description The reason in words, and the way out. */
            detail: string;
        };
        /** @description A move of a line, or an act of the house in between, with its consequences. */
        LineStep: {
            /** @description Index of the move in the line. Null: the house acts. */
            move_index: number | null;
            /** @description The events, each with a `sentence`. `drawn`: the fields decided by the seed. */
            events: {
                [key: string]: unknown;
            }[];
            /** @description Parties awaited next. */
            waiting_for: components["schemas"]["WaitingFor"];
            /** @description The game after the step, as the viewer may see it. */
            state: {
                [key: string]: unknown;
            };
        };
        /** @description One JSON object a line. `x-itemSchema` is the schema of a line. */
        Lines: string;
        /** @description The process serves. */
        Live: {
            /** @description ok */
            status: string;
        };
        /** @description End the match without a result (M7). By the owner. */
        LobbyAbortCommand: {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "abort";
        };
        /** @description Agree to another seat's request to take moves back (M17). */
        LobbyAgreeTakeBackCommand: {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "agree_take_back";
            seat: number;
        };
        /** @description Ask to go back to a version (M17). */
        LobbyAskTakeBackCommand: {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "ask_take_back";
            seat: number;
            to: number;
        };
        /** @description The base of a fork: match, version, hash of that version's commit, and game state then. */
        LobbyBase: {
            match: string;
            version: number;
            hash: string;
            state: {
                [key: string]: unknown;
            };
        };
        /** @description A clock (M15). bank_s: seconds in the bank of each seat. move_s: seconds added after a turn. level: level of the bot that stands in when a bank is empty. */
        LobbyClockPlan: {
            bank_s: number;
            move_s: number;
            level: string;
        };
        /** @description A command to a match. As recorded in a commit: a move with its seat, without parts hidden from the reader. */
        LobbyCommand: components["schemas"]["LobbyOpenCommand"] | components["schemas"]["LobbyJoinCommand"] | components["schemas"]["LobbyLeaveCommand"] | components["schemas"]["LobbyPledgeCommand"] | components["schemas"]["LobbyDiscloseCommand"] | components["schemas"]["LobbyLapseCommand"] | components["schemas"]["LobbyStartCommand"] | components["schemas"]["LobbyAbortCommand"] | components["schemas"]["LobbyExpireCommand"] | components["schemas"]["LobbyReplaceCommand"] | components["schemas"]["LobbyRestoreCommand"] | components["schemas"]["LobbyRunOutCommand"] | components["schemas"]["LobbyReturnCommand"] | components["schemas"]["LobbyResignCommand"] | components["schemas"]["LobbyAskTakeBackCommand"] | components["schemas"]["LobbyAgreeTakeBackCommand"] | components["schemas"]["LobbyRefuseTakeBackCommand"] | components["schemas"]["LobbyRevealCommand"] | components["schemas"]["LobbyReplaceTokenCommand"] | components["schemas"]["LobbyRevokeTokenCommand"] | components["schemas"]["LobbyEraseNameCommand"];
        /** @description Disclose the pledged entropy, 32 bytes in hex (M19). */
        LobbyDiscloseCommand: {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "disclose";
            seat: number;
            entropy: string;
        };
        /** @description A human has disclosed entropy. With the last disclosure the match starts. */
        LobbyEntropyDisclosed: {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "entropy_disclosed";
            seat: number;
            entropy: string;
        };
        /** @description A human has pledged entropy. `digest` is as in `pledge`. */
        LobbyEntropyPledged: {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "entropy_pledged";
            seat: number;
            digest: string;
        };
        /** @description Erase the stored name of a seat's holder (M13). */
        LobbyEraseNameCommand: {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "erase_name";
            seat: number;
        };
        /** @description An event of a match. */
        LobbyEvent: components["schemas"]["LobbyMatchOpened"] | components["schemas"]["LobbyForked"] | components["schemas"]["LobbySeatJoined"] | components["schemas"]["LobbySeatLeft"] | components["schemas"]["LobbyEntropyPledged"] | components["schemas"]["LobbyEntropyDisclosed"] | components["schemas"]["LobbyPledgesDropped"] | components["schemas"]["LobbyMatchStarted"] | components["schemas"]["LobbyMatchAborted"] | components["schemas"]["LobbyMatchExpired"] | components["schemas"]["LobbySeatReplaced"] | components["schemas"]["LobbySeatRestored"] | components["schemas"]["LobbyTimeRanOut"] | components["schemas"]["LobbySeatResigned"] | components["schemas"]["LobbyTakeBackAsked"] | components["schemas"]["LobbyTakeBackAgreed"] | components["schemas"]["LobbyTakeBackRefused"] | components["schemas"]["LobbyTakenBack"] | components["schemas"]["LobbySecretsRevealed"] | components["schemas"]["LobbyTokenReplaced"] | components["schemas"]["LobbyTokenRevoked"] | components["schemas"]["LobbyNameErased"];
        /** @description End a match that was left alone for long (M11). By the house. */
        LobbyExpireCommand: {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "expire";
        };
        /** @description The game begins with the state of a base (M21). */
        LobbyForked: {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "forked";
            base: components["schemas"]["LobbyBase"];
        };
        /** @description Take an open seat (M2). name: digest of the name. entropy: hex that goes into every draw's seed (M10). key: signs for the seat (M18). pledge: as `digest` in the command `pledge` (M19). proof: the key's signature over match, seat and head hash (M18). None: without a key, or by match rules 1. */
        LobbyJoinCommand: {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "join";
            seat: number;
            name?: string;
            entropy?: string;
            key?: string;
            pledge?: string;
            proof?: string;
        };
        /** @description Reopen the seats with an overdue pledge or disclosure (M19). By the house. due: end of the time limit, in milliseconds since 1970. */
        LobbyLapseCommand: {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "lapse";
            due: number;
        };
        /** @description Give a seat up before the start (M3). */
        LobbyLeaveCommand: {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "leave";
            seat: number;
        };
        /** @description The match ended without a result. */
        LobbyMatchAborted: {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "match_aborted";
        };
        /** @description The match ended without a result because it was left alone. */
        LobbyMatchExpired: {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "match_expired";
        };
        /** @description A match was opened. The fields are as in `open`. hides: tags of the commands that hide something from other seats (M18). None: by match rules 1. */
        LobbyMatchOpened: {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "match_opened";
            game: string;
            rules: string;
            views: number;
            options: {
                [key: string]: unknown;
            };
            seats: components["schemas"]["LobbySeatPlan"][];
            visibility: string;
            commitment: string;
            secret?: string;
            match?: string;
            advice?: boolean;
            clock?: components["schemas"]["LobbyClockPlan"];
            take_back?: string;
            draws?: string;
            joint_entropy?: boolean;
            match_rules?: number;
            hides?: string[];
        };
        /** @description The seats are settled and the game begins. The game's own opening events follow in the same commit, but not in a fork (M21). */
        LobbyMatchStarted: {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "match_started";
        };
        /** @description The name of the seat's holder is no longer stored. The name's digest stays in the history. */
        LobbyNameErased: {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "name_erased";
            seat: number;
        };
        /** @description Open a match (M1). secret: the 32 bytes behind all draws, in hex. commitment: SHA-256 of their key (M10). match: id bound to the secret. None: no id, as in matches of the first release. advice: True if humans may ask for advice (M14). None: they may not. clock: the clock (M15). None: no time limit. take_back: the way to take moves back, "own" or "consent" (M17). None: no take-back. base: the base of a fork (M21). draws: "moves": draws go by the game's own commits (M10). None: by versions. joint_entropy: True if all humans pledge and disclose entropy before the start (M19). match_rules: number of the match rules. None: 1, those of the first release. */
        LobbyOpenCommand: {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "open";
            game: string;
            rules: string;
            views: number;
            options: {
                [key: string]: unknown;
            };
            seats: components["schemas"]["LobbySeatPlan"][];
            visibility: string;
            commitment: string;
            secret?: string;
            match?: string;
            advice?: boolean;
            clock?: components["schemas"]["LobbyClockPlan"];
            take_back?: string;
            base?: components["schemas"]["LobbyBase"];
            draws?: string;
            joint_entropy?: boolean;
            match_rules?: number;
        };
        /** @description Pledge entropy before the start (M19). digest: SHA-256 of the canonical JSON of entropy and seat. */
        LobbyPledgeCommand: {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "pledge";
            seat: number;
            digest: string;
        };
        /** @description No pledge and no disclosure counts any more. All humans pledge anew (M19). */
        LobbyPledgesDropped: {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "pledges_dropped";
        };
        /** @description Refuse another seat's request to take moves back, or withdraw one's own (M17). */
        LobbyRefuseTakeBackCommand: {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "refuse_take_back";
            seat: number;
        };
        /** @description Let a bot of a level hold a seat (M8). By the owner. */
        LobbyReplaceCommand: {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "replace";
            seat: number;
            level: string;
        };
        /** @description Give a holder a new token (M13). holder: "owner", "spectator", "invitation" or "seat:N". */
        LobbyReplaceTokenCommand: {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "replace_token";
            holder: string;
        };
        /** @description Let a bot of a level play a seat to the end (M16). By the seat. */
        LobbyResignCommand: {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "resign";
            seat: number;
            level: string;
        };
        /** @description Give a replaced seat back to its human (M8). By the owner. */
        LobbyRestoreCommand: {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "restore";
            seat: number;
        };
        /** @description Take a seat back from its stand-in bot (M8, M15). By the seat. */
        LobbyReturnCommand: {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "return";
            seat: number;
        };
        /** @description Reveal all secrets after the end (M9). By the house. parts: the secret parts of every commit by version. */
        LobbyRevealCommand: {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "reveal";
            secret: string;
            parts: {
                [key: string]: unknown;
            };
        };
        /** @description Revoke a holder's token (M13). `holder` is as in `replace_token`. */
        LobbyRevokeTokenCommand: {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "revoke_token";
            holder: string;
        };
        /** @description Let a bot stand in for a seat with an empty bank (M15). By the house. due: end of the seat's time, in milliseconds since 1970. */
        LobbyRunOutCommand: {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "run_out";
            seat: number;
            due: number;
        };
        /** @description A human took an open seat. */
        LobbySeatJoined: {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "seat_joined";
            seat: number;
            name?: string;
            entropy?: string;
            key?: string;
            pledge?: string;
            proof?: string;
        };
        /** @description A seat is open again. */
        LobbySeatLeft: {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "seat_left";
            seat: number;
        };
        /** @description A seat at the opening. kind: "human", "bot" or "open". level: a bot's. name: digest of the holder's name. "": none. key: signs for the seat (M18). None: no key. pledge: digest of its entropy (M19). */
        LobbySeatPlan: {
            kind: string;
            level?: string;
            name?: string;
            entropy?: string;
            key?: string | null;
            pledge?: string | null;
        };
        /** @description A bot holds the seat. A human may get it back as far as M8, M15, M16 and M19 allow. */
        LobbySeatReplaced: {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "seat_replaced";
            seat: number;
            level: string;
        };
        /** @description The human of a seat gave the match up. A bot stands in to the end. */
        LobbySeatResigned: {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "seat_resigned";
            seat: number;
        };
        /** @description The human holds the seat again. */
        LobbySeatRestored: {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "seat_restored";
            seat: number;
        };
        /** @description The secret of the match and the secret parts of all commits. Each part stands with its salt, by version and audience. */
        LobbySecretsRevealed: {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "secrets_revealed";
            secret: string;
            parts: {
                [key: string]: unknown;
            };
        };
        /** @description Begin to play (M4). By the owner. */
        LobbyStartCommand: {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "start";
        };
        /** @description A seat agrees to take the moves back. */
        LobbyTakeBackAgreed: {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "take_back_agreed";
            seat: number;
        };
        /** @description A seat asks to go back to a version. */
        LobbyTakeBackAsked: {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "take_back_asked";
            seat: number;
            to: number;
        };
        /** @description A seat refuses to take the moves back, or withdraws its request. */
        LobbyTakeBackRefused: {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "take_back_refused";
            seat: number;
        };
        /** @description The game is again as it was at a version. All later commits stay in the history. */
        LobbyTakenBack: {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "taken_back";
            to: number;
        };
        /** @description The bank of a seat was empty. A bot stands in from now on. `due` is as in `run_out`. */
        LobbyTimeRanOut: {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "time_ran_out";
            seat: number;
            due: number;
        };
        /** @description The holder has a new token. An earlier one, if there was any, no longer counts. */
        LobbyTokenReplaced: {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "token_replaced";
            holder: string;
        };
        /** @description The holder has no token any more. */
        LobbyTokenRevoked: {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "token_revoked";
            holder: string;
        };
        /** @description A commit in the order of the log. Others' private matches show only hashes. If an operator accepted a loss of commits in the journal, an entry for the loss has `gone_back` and no commit. */
        LoggedCommit: {
            /** @description ID of the log. */
            log: string;
            /** @description Position in the log, from 0. A position never changes. */
            position: number;
            /** @description The hash of the commit. */
            hash?: string;
            /** @description The match's id. */
            match?: components["schemas"]["MatchId"];
            /** @description Version of the commit. */
            version?: number;
            /**
             * Format: date-time
             * @description Time of the commit.
             */
            time?: string;
            /** @description The game's key. */
            game?: string;
            /** @description Phase of the match when the commit got its position. */
            status?: components["schemas"]["MatchStatus"];
            /** @description Generation of the journal after the loss. */
            generation?: string;
            /**
             * Format: date-time
             * @description Time when the log went on after the loss.
             */
            gone_back?: string;
        };
        /** @description A seat at the opening, distinguished by `kind`. */
        LongSeat: components["schemas"]["HumanSeat"] | components["schemas"]["BotSeat"] | components["schemas"]["OpenSeat"];
        /** @description The commit of a move, whole or minimal. */
        MadeMove: components["schemas"]["Commit"] | components["schemas"]["MinimalCommit"];
        /** @description A match and its standing. Distinguished by `game`. */
        Match: components["schemas"]["CalimalaMatch"] | components["schemas"]["FirenzeMatch"];
        /** @description The id of a match. */
        MatchId: string;
        /** @description A page of matches. */
        MatchList: {
            /** @description The matches. */
            matches: components["schemas"]["MatchSummary"][];
            /** @description URL of the next page, relative to this server. Null at the end. The header Link has it, too. */
            next: string | null;
        };
        /** @description The standing of a match for the holder of a token, distinguished by `event`. turn: the token's seat must act. waiting: the seat need not act. take_back: the seat's consent is awaited to go back to the version `to`, and `turn` or `waiting` follows. ended: the match is over. gone: the token is not, or no longer, a token of a match. rewritten: the server has lost reported commits, and the present standing follows. presence: `here` lists the present seats. Only tokens of seats get this news. */
        MatchNews: {
            /**
             * @description Kind of news.
             * @enum {string}
             */
            event: "turn" | "waiting" | "take_back" | "ended" | "gone" | "rewritten" | "presence";
            /** @description The match's id. */
            match: components["schemas"]["MatchId"];
            /** @description Version of the match. 0 for `gone`. */
            version: number;
            /** @description The token's seat. Null for a token of no seat. */
            seat: number | null;
            /** @description Phase of the match. */
            status?: components["schemas"]["MatchStatus"];
            /** @description Parties awaited. */
            waiting_for?: components["schemas"]["WaitingFor"];
            /**
             * Format: date-time
             * @description Earliest end of a seat's time (M15, M19). Null: nobody's time runs.
             */
            deadline?: string | null;
            /** @description The result. Null: the match ended without one (M7, M11). */
            outcome?: components["schemas"]["Outcome"] | null;
            /** @description Of `presence`: seats that followed the match in the last 3 minutes. */
            here?: number[];
            /** @description Of `take_back`: the version to go back to. */
            to?: number;
        };
        /**
         * @description Phase of the match. `ended`: with a result. `aborted`: without one.
         * @enum {string}
         */
        MatchStatus: "open" | "running" | "ended" | "aborted";
        /** @description A match in a list. */
        MatchSummary: {
            /** @description The match's id. */
            match: components["schemas"]["MatchId"];
            /** @description The game's key. */
            game: string;
            /** @description Visible to anybody, or only to holders of its tokens. */
            visibility: components["schemas"]["Visibility"];
            /** @description True if humans may ask for advice (M14). */
            advice: boolean;
            /** @description Phase of the match. */
            status: components["schemas"]["MatchStatus"];
            /** @description Number of commits. */
            version: number;
            /**
             * Format: date-time
             * @description Time of the opening.
             */
            created: string;
            /**
             * Format: date-time
             * @description Time of the last commit.
             */
            updated: string;
            /** @description Parties awaited. */
            waiting_for: components["schemas"]["WaitingFor"];
            /**
             * Format: date-time
             * @description Earliest end of a seat's time (M15, M19). Null: nobody's time runs.
             */
            deadline: string | null;
            /** @description The seats and their holders. */
            seats: components["schemas"]["Seat"][];
            /** @description The result. Null if there is none, and for matches by rules unknown here. */
            outcome: components["schemas"]["Outcome"] | null;
            /** @description The match that this one follows. Open seats are reserved for its players (M20). */
            rematch_of?: components["schemas"]["MatchId"];
            /** @description True if the humans draw together (M19). Otherwise left out. */
            joint_entropy?: boolean;
            /** @description The base of a fork. Left out otherwise. */
            forked_from?: components["schemas"]["ForkedFrom"];
            /**
             * Format: date-time
             * @description Time of the import. Only of a match played elsewhere.
             */
            imported?: string;
        };
        /** @description The answer to a message of the Model Context Protocol: a result or an error. */
        McpAnswer: {
            /**
             * @description The version of JSON-RPC.
             * @constant
             */
            jsonrpc: "2.0";
            /** @description The id of the message. Null if it cannot be read. */
            id: string | number | null;
            /** @description Result of the method. */
            result?: {
                [key: string]: unknown;
            };
            /** @description The error, if there is no result. */
            error?: components["schemas"]["McpError"];
        };
        /** @description Reason for a message without a result (JSON-RPC 2.0). */
        McpError: {
            /** @description The reason, for programs. */
            code: number;
            /** @description The reason in words. */
            message: string;
            /** @description More about it. */
            data?: {
                [key: string]: unknown;
            };
        };
        /** @description A message of the Model Context Protocol, in JSON-RPC 2.0. */
        McpMessage: {
            /**
             * @description The version of JSON-RPC.
             * @constant
             */
            jsonrpc: "2.0";
            /** @description Comes again in the answer. Left out of a notification. */
            id?: string | number;
            /** @description The method, such as `tools/call`. */
            method: string;
            /** @description Parameters of the method, and `_meta`. */
            params?: {
                [key: string]: unknown;
            };
        };
        /** @description The proof of a new commit, without its command and events. */
        MinimalCommit: {
            /** @description Version of the commit. */
            version: number;
            /** @description Hash of the commit. */
            hash: string;
            /** @description The server's receipt. Left out if the server signs none. */
            receipt?: components["schemas"]["Receipt"];
        };
        /** @description A version, or a time (RFC 3339). */
        Moment: number | string;
        /** @description A move of a game, distinguished by `type`. */
        Move: components["schemas"]["CalimalaMove"] | components["schemas"]["FirenzeMove"];
        /** @description The clock of a match (M15). */
        NewClock: {
            /** @description Seconds in each seat's bank. */
            bank_s: number;
            /** @description Seconds added after a turn of one's own. */
            move_s: number;
            /** @description Level of the stand-in bots for empty banks. */
            level: components["schemas"]["BotLevel"];
        };
        /** @description A new webhook. */
        NewHook: {
            /** @description Address of the calls. */
            url: string;
            /** @description Occasions of the calls. */
            on: string[];
            /** @description Result of the last call: an HTTP status, or the failure. Empty before the first call. */
            answer: string;
            /** @description Number of failed calls since the last success. */
            tries: number;
            /**
             * Format: date-time
             * @description Earliest time of the next call after a failure. Null once stopped.
             */
            again: string | null;
            /**
             * @description gone: the address answered 410. given_up: calls failed for three days, and ten times.
             * @enum {string}
             */
            stopped: "" | "gone" | "given_up";
            /** @description Secret that signs the calls (Standard Webhooks). No later answer shows it. */
            secret: string;
        };
        /** @description An option with a whole number. */
        NumberOption: {
            /** @description Name of the option. */
            name: string;
            /** @description Meaning of the option. */
            text: string;
            /**
             * @description Kind of the option's values. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            kind: "number";
            /** @description Default value. */
            default: number;
            /** @description Least value. */
            least: number;
            /** @description Greatest value. */
            most: number;
        };
        /** @description A match of Calimala to be opened. */
        OpenCalimalaMatch: {
            /**
             * @description The game's key. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            game: "calimala";
            /** @description The seats at the opening, seat 0 first. */
            seats: components["schemas"]["SeatPlan"][];
            /** @description Options of the match. Those left out have their default. */
            options?: components["schemas"]["CalimalaOptions"];
            /** @description A private match is visible only with its tokens. `public` by default. */
            visibility?: components["schemas"]["Visibility"];
            /** @description A clock (M15). Left out: no time limit. */
            clock?: components["schemas"]["NewClock"];
            /** @description True if humans may ask for advice (M14). The game needs `strong` bots. */
            advice?: boolean;
            /**
             * @description Moves that can be taken back (M17). off, the default: none. own: a seat's own of one turn. consent: all, if all humans agree.
             * @enum {string}
             */
            take_back?: "off" | "own" | "consent";
            /** @description Base of a fork (M21). To fork one's own match, send its token. */
            fork?: components["schemas"]["Fork"];
            /** @description True if the humans draw together: all pledge, then disclose (M19). */
            joint_entropy?: boolean;
            /** @description Fixes every draw. Only for a server that is set up for it. */
            seed?: string;
        };
        /** @description A match of Firenze to be opened. */
        OpenFirenzeMatch: {
            /**
             * @description The game's key. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            game: "firenze";
            /** @description The seats at the opening, seat 0 first. */
            seats: components["schemas"]["SeatPlan"][];
            /** @description Options of the match. Those left out have their default. */
            options?: components["schemas"]["FirenzeOptions"];
            /** @description A private match is visible only with its tokens. `public` by default. */
            visibility?: components["schemas"]["Visibility"];
            /** @description A clock (M15). Left out: no time limit. */
            clock?: components["schemas"]["NewClock"];
            /** @description True if humans may ask for advice (M14). The game needs `strong` bots. */
            advice?: boolean;
            /**
             * @description Moves that can be taken back (M17). off, the default: none. own: a seat's own of one turn. consent: all, if all humans agree.
             * @enum {string}
             */
            take_back?: "off" | "own" | "consent";
            /** @description Base of a fork (M21). To fork one's own match, send its token. */
            fork?: components["schemas"]["Fork"];
            /** @description True if the humans draw together: all pledge, then disclose (M19). */
            joint_entropy?: boolean;
            /** @description Fixes every draw. Only for a server that is set up for it. */
            seed?: string;
        };
        /** @description A match to be opened, distinguished by `game`. */
        OpenMatch: components["schemas"]["OpenCalimalaMatch"] | components["schemas"]["OpenFirenzeMatch"];
        /** @description A seat for anybody to take. */
        OpenSeat: {
            /**
             * @description Kind of the seat at the opening. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            kind: "open";
        };
        /** @description A new match of Calimala with its tokens. */
        OpenedCalimalaMatch: components["schemas"]["CalimalaMatch"] & {
            /** @description Bearer tokens by holder: owner, spectator, invitation, seat:0, seat:1, ... */
            tokens: {
                [key: string]: string;
            };
        } & {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            game: "calimala";
        };
        /** @description A new match of Firenze with its tokens. */
        OpenedFirenzeMatch: components["schemas"]["FirenzeMatch"] & {
            /** @description Bearer tokens by holder: owner, spectator, invitation, seat:0, seat:1, ... */
            tokens: {
                [key: string]: string;
            };
        } & {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            game: "firenze";
        };
        /** @description A new match with its tokens. Only a repeat with the same key shows them again. Distinguished by `game`. */
        OpenedMatch: components["schemas"]["OpenedCalimalaMatch"] | components["schemas"]["OpenedFirenzeMatch"];
        /** @description An option of a game, distinguished by `kind`. */
        Option: components["schemas"]["ChoiceOption"] | components["schemas"]["FlagOption"] | components["schemas"]["NumberOption"] | components["schemas"]["DataOption"];
        /** @description Value of an option of the kind data, in a form of one of the games. */
        OptionData: components["schemas"]["FirenzeBoard"];
        /** @description The result: points and rank by seat. 1 is best, ranks may be shared. */
        Outcome: {
            /** @description The points of each seat, by seat. */
            points: number[];
            /** @description The rank of each seat, by seat. */
            ranks: number[];
            /** @description Seats with stand-in bots at the end (M8, M15, M16). Left out if there are none. By match rules 1 without seats replaced by the owner. */
            stood_in_for?: number[];
            /** @description Resigned seats, in the order of resignation. They rank below all others (M16). Left out if there are none, and by match rules 1. */
            resigned?: number[];
        };
        /** @description A wrong parameter of a request. */
        ParameterMistake: {
            /** @description Name of a query parameter or header. */
            parameter: string;
            /** @description The right value. */
            detail: string;
        };
        /** @description A player of the rematch. */
        PlayAgain: {
            /** @description Bytes in hex that go into the seed of every draw (M10). */
            entropy?: string;
            /** @description A key that signs for the seat (M18). It stays in the history. */
            key?: string;
            /** @description The key's signature over the new match, seat and head hash (M18). */
            proof?: string;
            /** @description `digest` of the human's pledge, if all draw together (M19). */
            pledge?: string;
        };
        /** @description A match with the player on a seat to the end. */
        PlayedMatch: {
            /** @description The match's id. */
            match: components["schemas"]["MatchId"];
            /** @description The game's key. */
            game: string;
            /** @description Visible to anybody, or only to holders of its tokens. */
            visibility: components["schemas"]["Visibility"];
            /** @description True if humans may ask for advice (M14). */
            advice: boolean;
            /** @description Phase of the match. */
            status: components["schemas"]["MatchStatus"];
            /** @description Number of commits. */
            version: number;
            /**
             * Format: date-time
             * @description Time of the opening.
             */
            created: string;
            /**
             * Format: date-time
             * @description Time of the last commit.
             */
            updated: string;
            /** @description Parties awaited. */
            waiting_for: components["schemas"]["WaitingFor"];
            /**
             * Format: date-time
             * @description Earliest end of a seat's time (M15, M19). Null: nobody's time runs.
             */
            deadline: string | null;
            /** @description The seats and their holders. */
            seats: components["schemas"]["Seat"][];
            /** @description The result. Null if there is none, and for matches by rules unknown here. */
            outcome: components["schemas"]["Outcome"] | null;
            /** @description The match that this one follows. Open seats are reserved for its players (M20). */
            rematch_of?: components["schemas"]["MatchId"];
            /** @description True if the humans draw together (M19). Otherwise left out. */
            joint_entropy?: boolean;
            /** @description The base of a fork. Left out otherwise. */
            forked_from?: components["schemas"]["ForkedFrom"];
            /**
             * Format: date-time
             * @description Time of the import. Only of a match played elsewhere.
             */
            imported?: string;
            /** @description The player's seat. */
            seat: number;
            /**
             * Format: date-time
             * @description Time of the end of the match's game.
             */
            ended: string;
            /** @description Reason against a rating. Null: the match is rated. */
            why_not_rated: ("fork" | "no_result" | "stand_in" | "known_seed" | "advice" | "take_back" | "no_key" | "no_clock" | "one_player") | null;
        };
        /** @description Public facts about a player. */
        Player: {
            /** @description A public key, or `bot:` and a level. */
            player: string;
            /** @description The latest name. Null: none is stored. */
            name: string | null;
            /** @description The ratings, game by game. */
            ratings: components["schemas"]["GameRating"][];
            /** @description A page of public matches with this key, last ended first. */
            matches: components["schemas"]["PlayedMatch"][];
            /** @description URL of the next page, relative to this server. Null at the end. The header Link has it, too. */
            next: string | null;
        };
        /** @description A pledge of entropy (M19). */
        Pledge: {
            /** @description SHA-256 of the canonical JSON of `entropy`, 32 random bytes in hex, and `seat`, its number. */
            digest: string;
        };
        /** @description A preview of a move. Distinguished by `rules`. */
        Preview: components["schemas"]["Calimala1Preview"] | components["schemas"]["Firenze1Preview"];
        /** @description An event in a preview, of any game. */
        PreviewedEvent: components["schemas"]["Calimala1PreviewedEvent"] | components["schemas"]["Firenze1PreviewedEvent"];
        /** @description A problem (RFC 9457). `type` leads to a page about it. The rest depends on the type. */
        Problem: {
            /** @description The path of a page about this kind of problem. */
            type: string;
            /** @description Kind of the problem. */
            title: string;
            /** @description The status of the answer. */
            status: number;
            /** @description The problem this time, and the way out. */
            detail: string;
            /** @description The wrong places of the request, 20 at most. */
            errors?: (components["schemas"]["BodyMistake"] | components["schemas"]["ParameterMistake"])[];
            /** @description Number of wrong places beyond those in `errors`. */
            more?: number;
            /** @description The reason, for programs. Only of some kinds of problems. */
            code?: string;
            /** @description Text for the key of the seat to sign (M18). */
            to_sign?: string;
            /** @description The first faulty commit of a record. */
            commit?: number;
            /** @description The number of the rule behind the refusal. */
            rule?: string;
            /** @description Address of the rule. */
            rule_url?: string;
            /** @description The unknown rules, such as calimala/2. */
            rules?: string;
            /** @description Address of the seat's legal moves. */
            legal_moves?: string;
            /** @description Version of the match. */
            version?: number;
            /** @description Version in If-Match. */
            expected?: number;
            /** @description The first commits after `expected`, 20 at most. */
            commits?: components["schemas"]["Commit"][];
            /** @description Address of all commits after `expected`. */
            commits_url?: string;
            /**
             * Format: date-time
             * @description Time of the deletion of the match.
             */
            deleted?: string;
            /** @description ID of the server's log. Null before its first entry. */
            log?: string | null;
        };
        /** @description The strength of a player at a game, by the model that the ladder names. */
        Rating: {
            /** @description Estimated strength. A beginner has 25. */
            mean: number;
            /** @description Standard deviation of the estimate. */
            uncertainty: number;
            /** @description The mean less three standard deviations. The ladder is ordered by it. */
            ordinal: number;
            /** @description Number of rated matches. */
            matches: number;
        };
        /** @description A rating after a match. */
        RatingAfter: {
            /** @description The match's id. */
            match: components["schemas"]["MatchId"];
            /**
             * Format: date-time
             * @description Time of the end of the match's game.
             */
            ended: string;
            /** @description The rating. */
            rating: components["schemas"]["Rating"];
        };
        /** @description Readiness of the service. */
        Ready: {
            /**
             * @description ok or unready
             * @enum {string}
             */
            status: "ok" | "unready";
            /** @description Results by check. Without `verbose` only of failed checks. */
            checks?: {
                [key: string]: string;
            };
            /** @description Faults by check. Matches can move on despite them. */
            warnings?: {
                [key: string]: string;
            };
        };
        /** @description The server's signed word for an accepted commit. The signature is Ed25519 over the canonical JSON of the other fields. */
        Receipt: {
            /** @description The match's id. */
            match: components["schemas"]["MatchId"];
            /** @description Version of the commit. */
            version: number;
            /** @description The commit's hash. */
            hash: string;
            /**
             * Format: date-time
             * @description Time of the commit.
             */
            time: string;
            /** @description ID of the signing key. */
            key: string;
            /** @description The signature, in hex. */
            signature: string;
        };
        /** @description A line of a record: a CloudEvents 1.0 event around one commit, in canonical JSON. */
        RecordLine: {
            /** @description The commit. */
            data: components["schemas"]["ChainedCommit"];
            /**
             * @description Always application/json.
             * @constant
             */
            datacontenttype: "application/json";
            /** @description Version of the commit. */
            id: string;
            /** @description The path of the match. */
            source: string;
            /**
             * @description Always 1.0.
             * @constant
             */
            specversion: "1.0";
            /** @description The id of the match. */
            subject: string;
            /**
             * Format: date-time
             * @description Time of the commit.
             */
            time: string;
            /**
             * @description Always giornale.commit.
             * @constant
             */
            type: "giornale.commit";
        };
        /** @description A rematch (M20), with the caller's seat and tokens in the new match. */
        Rematch: {
            /** @description The new match's id. */
            match: components["schemas"]["MatchId"];
            /** @description Phase of the new match. `running` once all humans have come. */
            status: components["schemas"]["MatchStatus"];
            /** @description The caller's seat. Null for the owner. */
            seat: number | null;
            /** @description The caller's bearer tokens by holder: the seat, or owner and invitation. */
            tokens: {
                [key: string]: string;
            };
        };
        /** @description The result of an audit. */
        Report: {
            /** @description True if nothing is wrong, as far as checked. */
            ok: boolean;
            /**
             * @description right: all was checked. partly_checked: nothing is wrong, but something could not be checked. wrong: there is a fault.
             * @enum {string}
             */
            verdict: "right" | "partly_checked" | "wrong";
            /** @description The first fault. Null: none. */
            wrong: components["schemas"]["Fault"] | null;
            /** @description The match's id. */
            match: components["schemas"]["MatchId"];
            /** @description The game's key. */
            game: string;
            /** @description The rules version. */
            rules: string;
            /** @description Number of checked commits. */
            commits: number;
            /** @description Hash of the last checked commit. */
            hash: string;
            /** @description Phase of the match after the replay. Empty without a whole replay. */
            status: string;
            /** @description The result. Null if there is none, or without a whole replay. */
            outcome: components["schemas"]["Outcome"] | null;
            /** @description True if secret parts were missing. */
            redacted: boolean;
            /** @description True if the history is whole: its secrets are revealed. */
            ended: boolean;
            /** @description Number of folded commits. */
            folded: number;
            /** @description Number of folded commits that were decided again. */
            decided: number;
            /** @description Number of commits signed by the key of their seat. Left out if there are none. */
            signed?: number;
            /** @description Unchecked parts, with the reasons. */
            unchecked: string[];
            /** @description Notes for people, on points that no check can decide. */
            notes: string[];
        };
        /** @description The log of this server, for a reader of another log. The stream ends with this event. */
        RewrittenLog: {
            /** @description ID of the log. */
            log: string;
        };
        /** @description The version of a match after the journal has gone back. The stream ends with this event. */
        RewrittenMatch: {
            /** @description The match's version now. */
            version: number;
        };
        /** @description The release of the service, and the addresses of its parts. */
        Root: {
            /** @description Release of the service. */
            release: string;
            /** @description Addresses by name: `games`, `matches`, `contract`, `docs`, ... */
            links: {
                [key: string]: string;
            };
        };
        /** @description The token to replace. */
        Rotate: {
            /** @description Holder of the token. Left out: the caller. */
            holder?: string;
        };
        /** @description A seat and its holder. */
        Seat: {
            /** @description The number of the seat. */
            seat: number;
            /**
             * @description Kind of the holder. open: the seat has no holder.
             * @enum {string}
             */
            kind: "human" | "bot" | "open";
            /** @description The bot's level. */
            level?: components["schemas"]["BotLevel"];
            /** @description The human's name. */
            name?: string;
            /** @description The key that signs for the seat (M18). */
            key?: string;
            /**
             * @description Pledge or disclosure that the human owes before the start, by `deadline` (M19).
             * @enum {string}
             */
            owes?: "pledge" | "disclosure";
            /** @description True if a bot stands in for the human. Otherwise left out. */
            absent?: boolean;
            /**
             * @description Only if a bot stands in: the human's time ran out (M15), the human resigned (M16), or the owner has replaced them (M8).
             * @enum {string}
             */
            absent_because?: "time_ran_out" | "resigned" | "replaced";
            /** @description True if the human may play on by `POST /v1/matches/{match}/return` (M8, M15). Otherwise left out. */
            may_return?: boolean;
        };
        /** @description A seat at the opening, in short or in long form. */
        SeatPlan: components["schemas"]["ShortSeat"] | components["schemas"]["LongSeat"];
        /** @description An event in English. */
        Sentence: {
            /** @description A sentence, or several if one would be too long. */
            text: string;
            /** @description The rules that decided the event. */
            rules: string[];
            /** @description Only if the event begins something. */
            heading?: components["schemas"]["Heading"];
        };
        /**
         * @description A seat without a name or a key.
         * @enum {string}
         */
        ShortSeat: "human" | "open" | "bot" | "bot:random" | "bot:greedy" | "bot:quick" | "bot:strong";
        /** @description The match at a version, as the caller may see it. Distinguished by `game`. */
        State: components["schemas"]["CalimalaState"] | components["schemas"]["FirenzeState"];
        /** @description A page of the states of a match, oldest first. */
        StateList: {
            /** @description The match's id. */
            match: components["schemas"]["MatchId"];
            /** @description The states, one for each version. */
            states: components["schemas"]["State"][];
            /** @description URL of the next page, relative to this server. Null at the end. The header Link has it, too. */
            next: string | null;
        };
        /** @description A page of the story, oldest first. */
        Story: {
            /** @description The match's id. */
            match: components["schemas"]["MatchId"];
            /** @description One for each commit. */
            lines: components["schemas"]["StoryLine"][];
        };
        /** @description A commit in sentences. */
        StoryLine: {
            /** @description Version of the commit. */
            version: number;
            /**
             * Format: date-time
             * @description Time of the commit.
             */
            time: string;
            /** @description Actor of the commit. */
            actor: components["schemas"]["Actor"];
            /** @description Type of the commit's command. */
            command: string;
            /** @description One for each event. */
            sentences: components["schemas"]["Sentence"][];
            /** @description True if the moves of the commit were taken back later (M17). Otherwise left out. */
            taken_back?: boolean;
            /** @description True if the seat's key signed the commit (M18). Left out for a join and for an actor without a key. */
            signed?: boolean;
        };
        /** @description Moves that can be taken back (M17). */
        TakeBack: {
            /**
             * @description own: a seat takes back its own moves of one turn. consent: all moves can be taken back if all agree.
             * @enum {string}
             */
            option: "own" | "consent";
            /** @description The earliest version to go back to, or the present version if there is none. 0 before the start and after the end. */
            earliest: number;
            /** @description Versions after `earliest` at which the house acts. No take-back goes to them. */
            house_at: number[];
            /** @description Seats with a refused request. They may not ask others before the next move of the game. */
            refused: number[];
            /** @description The pending request. Null: none. */
            ask: components["schemas"]["TakeBackAsk"] | null;
            /** @description Versions of moves taken back. All of them stay in the history. */
            taken_back: number[];
        };
        /** @description A seat's request to take moves back (M17). */
        TakeBackAsk: {
            /** @description Seat that asks. */
            seat: number;
            /** @description The version to go back to. */
            to: number;
            /** @description The other seats that agree so far. */
            agreed: number[];
        };
        /** @description The thoughts of a bot before a move. */
        Thought: {
            /** @description Version of the match after the move. */
            version: number;
            /** @description Seat of the move. */
            seat: number;
            /** @description The level of the bot. */
            level: components["schemas"]["BotLevel"];
            /** @description Number of rollouts of the bot's search. */
            iterations: number;
            /** @description The best weighed moves. The chosen move comes first. */
            best: components["schemas"]["Candidate"][];
        };
        /** @description A page of thoughts, oldest first. */
        ThoughtList: {
            /** @description The thoughts. */
            thoughts: components["schemas"]["Thought"][];
            /** @description URL of the next page, relative to this server. Null at the end. The header Link has it, too. */
            next: string | null;
        };
        /** @description A new token in place of an old one. */
        Token: {
            /** @description Holder of the token. */
            holder: components["schemas"]["Holder"];
            /** @description The bearer token. */
            token: string;
        };
        /** @description Moves to try. */
        TryLine: {
            /** @description Version at the start of the line. */
            version: number;
            /** @description The moves of all seats in turn, each as it may be posted, with its `seat`. The house acts by itself. */
            moves: {
                [key: string]: unknown;
            }[];
            /** @description Seat of the view. Default: the caller's. Another seat only after the revelation. */
            seat?: number;
            /** @description Seed of all draws: the same line with another seed is another course of chance. */
            seed?: string;
        };
        /** @description A large change of chances from one point of the curve to the next. */
        TurningPoint: {
            /** @description Version of the earlier point. */
            from: number;
            /** @description Version of the next point. */
            to: number;
            /** @description Seat with the largest change of its chance to win. */
            seat: number;
            /** @description The seat's chance to win at `from`. */
            chance_before: number;
            /** @description The seat's chance to win at `to`. */
            chance_after: number;
        };
        /**
         * @description Visibility of a match: to anybody, or to the bearers of its tokens.
         * @enum {string}
         */
        Visibility: "public" | "private";
        /** @description The awaited parties: the house, or seats of humans and bots. */
        WaitingFor: {
            /** @description True if the house must act. */
            house: boolean;
            /** @description The seats that may act, or owe something before the start (M19). */
            seats: number[];
            /** @description The seats of bots among `seats`. */
            bots?: number[];
        };
        /** @description An address and the occasions to call it. */
        Webhook: {
            /** @description Address of the calls. Its port is 443, or one from 1024 upward. */
            url: string;
            /** @description turn: it is the seat's turn. take_back: its consent is awaited. ended: the match has ended. */
            on: ("turn" | "take_back" | "ended")[];
        };
    };
}
export type Actor = components['schemas']['Actor'];
export type Advice = components['schemas']['Advice'];
export type AskTakeBack = components['schemas']['AskTakeBack'];
export type Audit = components['schemas']['Audit'];
export type Beside = components['schemas']['Beside'];
export type BodyMistake = components['schemas']['BodyMistake'];
export type Bot = components['schemas']['Bot'];
export type BotLevel = components['schemas']['BotLevel'];
export type BotSeat = components['schemas']['BotSeat'];
export type Calimala1ActionCardTaken = components['schemas']['Calimala1ActionCardTaken'];
export type Calimala1ActionPerformed = components['schemas']['Calimala1ActionPerformed'];
export type Calimala1ActionSkipped = components['schemas']['Calimala1ActionSkipped'];
export type Calimala1ActivationEnded = components['schemas']['Calimala1ActivationEnded'];
export type Calimala1BoardLaidOut = components['schemas']['Calimala1BoardLaidOut'];
export type Calimala1CardPlayed = components['schemas']['Calimala1CardPlayed'];
export type Calimala1Command = components['schemas']['Calimala1Command'];
export type Calimala1Commit = components['schemas']['Calimala1Commit'];
export type Calimala1CompensateCommand = components['schemas']['Calimala1CompensateCommand'];
export type Calimala1Compensated = components['schemas']['Calimala1Compensated'];
export type Calimala1DeckRenewed = components['schemas']['Calimala1DeckRenewed'];
export type Calimala1DiscGivenUp = components['schemas']['Calimala1DiscGivenUp'];
export type Calimala1DiscPlaced = components['schemas']['Calimala1DiscPlaced'];
export type Calimala1DiscPromoted = components['schemas']['Calimala1DiscPromoted'];
export type Calimala1DiscRemoved = components['schemas']['Calimala1DiscRemoved'];
export type Calimala1DraftEnded = components['schemas']['Calimala1DraftEnded'];
export type Calimala1EndActivationCommand = components['schemas']['Calimala1EndActivationCommand'];
export type Calimala1Event = components['schemas']['Calimala1Event'];
export type Calimala1FinalCardScored = components['schemas']['Calimala1FinalCardScored'];
export type Calimala1FinalCardsRevealed = components['schemas']['Calimala1FinalCardsRevealed'];
export type Calimala1GiveUpDiscCommand = components['schemas']['Calimala1GiveUpDiscCommand'];
export type Calimala1KeepScoringCardCommand = components['schemas']['Calimala1KeepScoringCardCommand'];
export type Calimala1MatchEnded = components['schemas']['Calimala1MatchEnded'];
export type Calimala1PerformCommand = components['schemas']['Calimala1PerformCommand'];
export type Calimala1PlaceDiscCommand = components['schemas']['Calimala1PlaceDiscCommand'];
export type Calimala1PlayCardCommand = components['schemas']['Calimala1PlayCardCommand'];
export type Calimala1PlayEnded = components['schemas']['Calimala1PlayEnded'];
export type Calimala1Preview = components['schemas']['Calimala1Preview'];
export type Calimala1PreviewedEvent = components['schemas']['Calimala1PreviewedEvent'];
export type Calimala1ScoreCommand = components['schemas']['Calimala1ScoreCommand'];
export type Calimala1ScoringCardKept = components['schemas']['Calimala1ScoringCardKept'];
export type Calimala1ScoringCardsDealt = components['schemas']['Calimala1ScoringCardsDealt'];
export type Calimala1SeatLeftEmpty = components['schemas']['Calimala1SeatLeftEmpty'];
export type Calimala1SetUpCommand = components['schemas']['Calimala1SetUpCommand'];
export type Calimala1SkipCommand = components['schemas']['Calimala1SkipCommand'];
export type Calimala1TakeActionCardCommand = components['schemas']['Calimala1TakeActionCardCommand'];
export type Calimala1TileScored = components['schemas']['Calimala1TileScored'];
export type Calimala1WhiteDiscExchanged = components['schemas']['Calimala1WhiteDiscExchanged'];
export type Calimala1WhiteDiscLifted = components['schemas']['Calimala1WhiteDiscLifted'];
export type CalimalaAction = components['schemas']['CalimalaAction'];
export type CalimalaAgendaItemView = components['schemas']['CalimalaAgendaItemView'];
export type CalimalaBuilding = components['schemas']['CalimalaBuilding'];
export type CalimalaBuildingView = components['schemas']['CalimalaBuildingView'];
export type CalimalaCategory = components['schemas']['CalimalaCategory'];
export type CalimalaCity = components['schemas']['CalimalaCity'];
export type CalimalaCityView = components['schemas']['CalimalaCityView'];
export type CalimalaCompensateMove = components['schemas']['CalimalaCompensateMove'];
export type CalimalaCubesView = components['schemas']['CalimalaCubesView'];
export type CalimalaDecider = components['schemas']['CalimalaDecider'];
export type CalimalaDisc = components['schemas']['CalimalaDisc'];
export type CalimalaEdition = components['schemas']['CalimalaEdition'];
export type CalimalaEndActivationMove = components['schemas']['CalimalaEndActivationMove'];
export type CalimalaGiveUpDiscMove = components['schemas']['CalimalaGiveUpDiscMove'];
export type CalimalaKeepScoringCardMove = components['schemas']['CalimalaKeepScoringCardMove'];
export type CalimalaKnown = components['schemas']['CalimalaKnown'];
export type CalimalaKnownPlayer = components['schemas']['CalimalaKnownPlayer'];
export type CalimalaLayout = components['schemas']['CalimalaLayout'];
export type CalimalaLegalMoves = components['schemas']['CalimalaLegalMoves'];
export type CalimalaLine = components['schemas']['CalimalaLine'];
export type CalimalaLineStep = components['schemas']['CalimalaLineStep'];
export type CalimalaMatch = components['schemas']['CalimalaMatch'];
export type CalimalaMatchOptions = components['schemas']['CalimalaMatchOptions'];
export type CalimalaMove = components['schemas']['CalimalaMove'];
export type CalimalaNothingBeyond = components['schemas']['CalimalaNothingBeyond'];
export type CalimalaOptions = components['schemas']['CalimalaOptions'];
export type CalimalaOwnView = components['schemas']['CalimalaOwnView'];
export type CalimalaPerformMove = components['schemas']['CalimalaPerformMove'];
export type CalimalaPlaceDiscMove = components['schemas']['CalimalaPlaceDiscMove'];
export type CalimalaPlayCardMove = components['schemas']['CalimalaPlayCardMove'];
export type CalimalaPlayerView = components['schemas']['CalimalaPlayerView'];
export type CalimalaProject = components['schemas']['CalimalaProject'];
export type CalimalaResource = components['schemas']['CalimalaResource'];
export type CalimalaSkipMove = components['schemas']['CalimalaSkipMove'];
export type CalimalaState = components['schemas']['CalimalaState'];
export type CalimalaStreet = components['schemas']['CalimalaStreet'];
export type CalimalaTakeActionCardMove = components['schemas']['CalimalaTakeActionCardMove'];
export type CalimalaView = components['schemas']['CalimalaView'];
export type Candidate = components['schemas']['Candidate'];
export type ChainedCommit = components['schemas']['ChainedCommit'];
export type Change = components['schemas']['Change'];
export type ChoiceOption = components['schemas']['ChoiceOption'];
export type Clock = components['schemas']['Clock'];
export type Command = components['schemas']['Command'];
export type Commit = components['schemas']['Commit'];
export type CommitList = components['schemas']['CommitList'];
export type Curve = components['schemas']['Curve'];
export type CurvePoint = components['schemas']['CurvePoint'];
export type DataOption = components['schemas']['DataOption'];
export type Diff = components['schemas']['Diff'];
export type Disclosure = components['schemas']['Disclosure'];
export type Event = components['schemas']['Event'];
export type Fault = components['schemas']['Fault'];
export type Feed = components['schemas']['Feed'];
export type Firenze1AnswerEventCommand = components['schemas']['Firenze1AnswerEventCommand'];
export type Firenze1ArchitectHired = components['schemas']['Firenze1ArchitectHired'];
export type Firenze1BellTowerDelivered = components['schemas']['Firenze1BellTowerDelivered'];
export type Firenze1BrickRemoved = components['schemas']['Firenze1BrickRemoved'];
export type Firenze1BrickSwapped = components['schemas']['Firenze1BrickSwapped'];
export type Firenze1BricksDiscarded = components['schemas']['Firenze1BricksDiscarded'];
export type Firenze1BricksExchanged = components['schemas']['Firenze1BricksExchanged'];
export type Firenze1BricksTraded = components['schemas']['Firenze1BricksTraded'];
export type Firenze1BuildCommand = components['schemas']['Firenze1BuildCommand'];
export type Firenze1Built = components['schemas']['Firenze1Built'];
export type Firenze1CardDiscarded = components['schemas']['Firenze1CardDiscarded'];
export type Firenze1CardKept = components['schemas']['Firenze1CardKept'];
export type Firenze1CardSpent = components['schemas']['Firenze1CardSpent'];
export type Firenze1CardTaken = components['schemas']['Firenze1CardTaken'];
export type Firenze1Celebrated = components['schemas']['Firenze1Celebrated'];
export type Firenze1ChurchClosed = components['schemas']['Firenze1ChurchClosed'];
export type Firenze1ChurchOpened = components['schemas']['Firenze1ChurchOpened'];
export type Firenze1Command = components['schemas']['Firenze1Command'];
export type Firenze1CommissionFulfilled = components['schemas']['Firenze1CommissionFulfilled'];
export type Firenze1Commit = components['schemas']['Firenze1Commit'];
export type Firenze1CoveredCommission = components['schemas']['Firenze1CoveredCommission'];
export type Firenze1Dealt = components['schemas']['Firenze1Dealt'];
export type Firenze1DeckShuffled = components['schemas']['Firenze1DeckShuffled'];
export type Firenze1DiscardCommand = components['schemas']['Firenze1DiscardCommand'];
export type Firenze1Due = components['schemas']['Firenze1Due'];
export type Firenze1DuePaid = components['schemas']['Firenze1DuePaid'];
export type Firenze1DuesLaid = components['schemas']['Firenze1DuesLaid'];
export type Firenze1EndTileTaken = components['schemas']['Firenze1EndTileTaken'];
export type Firenze1EndTurnCommand = components['schemas']['Firenze1EndTurnCommand'];
export type Firenze1Event = components['schemas']['Firenze1Event'];
export type Firenze1EventAnswered = components['schemas']['Firenze1EventAnswered'];
export type Firenze1ExchangeCommand = components['schemas']['Firenze1ExchangeCommand'];
export type Firenze1FinalScored = components['schemas']['Firenze1FinalScored'];
export type Firenze1FulfilCommand = components['schemas']['Firenze1FulfilCommand'];
export type Firenze1Laid = components['schemas']['Firenze1Laid'];
export type Firenze1Lay = components['schemas']['Firenze1Lay'];
export type Firenze1Majority = components['schemas']['Firenze1Majority'];
export type Firenze1PersonnelPlayed = components['schemas']['Firenze1PersonnelPlayed'];
export type Firenze1PlacedBalcony = components['schemas']['Firenze1PlacedBalcony'];
export type Firenze1PlayEnded = components['schemas']['Firenze1PlayEnded'];
export type Firenze1PlayPersonnelCommand = components['schemas']['Firenze1PlayPersonnelCommand'];
export type Firenze1PlayerAsked = components['schemas']['Firenze1PlayerAsked'];
export type Firenze1Preview = components['schemas']['Firenze1Preview'];
export type Firenze1PreviewedEvent = components['schemas']['Firenze1PreviewedEvent'];
export type Firenze1ResolveEventCommand = components['schemas']['Firenze1ResolveEventCommand'];
export type Firenze1RowRefilled = components['schemas']['Firenze1RowRefilled'];
export type Firenze1RowShortened = components['schemas']['Firenze1RowShortened'];
export type Firenze1ScoreCommand = components['schemas']['Firenze1ScoreCommand'];
export type Firenze1SetUpCommand = components['schemas']['Firenze1SetUpCommand'];
export type Firenze1SlotRestocked = components['schemas']['Firenze1SlotRestocked'];
export type Firenze1TableLaid = components['schemas']['Firenze1TableLaid'];
export type Firenze1TakeCardCommand = components['schemas']['Firenze1TakeCardCommand'];
export type Firenze1TowerCollapsed = components['schemas']['Firenze1TowerCollapsed'];
export type Firenze1TowerTornDown = components['schemas']['Firenze1TowerTornDown'];
export type Firenze1TurnBegan = components['schemas']['Firenze1TurnBegan'];
export type FirenzeAnswerEventMove = components['schemas']['FirenzeAnswerEventMove'];
export type FirenzeArchitectView = components['schemas']['FirenzeArchitectView'];
export type FirenzeBalconyView = components['schemas']['FirenzeBalconyView'];
export type FirenzeBeyond = components['schemas']['FirenzeBeyond'];
export type FirenzeBoard = components['schemas']['FirenzeBoard'];
export type FirenzeBoardBalcony = components['schemas']['FirenzeBoardBalcony'];
export type FirenzeBoardCopies = components['schemas']['FirenzeBoardCopies'];
export type FirenzeBoardHeights = components['schemas']['FirenzeBoardHeights'];
export type FirenzeBoardLevelTiles = components['schemas']['FirenzeBoardLevelTiles'];
export type FirenzeBoardPoints = components['schemas']['FirenzeBoardPoints'];
export type FirenzeBuildMove = components['schemas']['FirenzeBuildMove'];
export type FirenzeBuildable = components['schemas']['FirenzeBuildable'];
export type FirenzeCard = components['schemas']['FirenzeCard'];
export type FirenzeColour = components['schemas']['FirenzeColour'];
export type FirenzeCommissionsView = components['schemas']['FirenzeCommissionsView'];
export type FirenzeDiscardMove = components['schemas']['FirenzeDiscardMove'];
export type FirenzeDiscards = components['schemas']['FirenzeDiscards'];
export type FirenzeDueView = components['schemas']['FirenzeDueView'];
export type FirenzeEnd = components['schemas']['FirenzeEnd'];
export type FirenzeEndTurnMove = components['schemas']['FirenzeEndTurnMove'];
export type FirenzeExchangeMove = components['schemas']['FirenzeExchangeMove'];
export type FirenzeFulfilMove = components['schemas']['FirenzeFulfilMove'];
export type FirenzeKnown = components['schemas']['FirenzeKnown'];
export type FirenzeLay = components['schemas']['FirenzeLay'];
export type FirenzeLegalMoves = components['schemas']['FirenzeLegalMoves'];
export type FirenzeLevelTileView = components['schemas']['FirenzeLevelTileView'];
export type FirenzeLine = components['schemas']['FirenzeLine'];
export type FirenzeLineStep = components['schemas']['FirenzeLineStep'];
export type FirenzeMatch = components['schemas']['FirenzeMatch'];
export type FirenzeMatchOptions = components['schemas']['FirenzeMatchOptions'];
export type FirenzeMove = components['schemas']['FirenzeMove'];
export type FirenzeOptions = components['schemas']['FirenzeOptions'];
export type FirenzePatrician = components['schemas']['FirenzePatrician'];
export type FirenzePlayPersonnelMove = components['schemas']['FirenzePlayPersonnelMove'];
export type FirenzePlayerView = components['schemas']['FirenzePlayerView'];
export type FirenzeResolveEventMove = components['schemas']['FirenzeResolveEventMove'];
export type FirenzeSlotView = components['schemas']['FirenzeSlotView'];
export type FirenzeState = components['schemas']['FirenzeState'];
export type FirenzeStep = components['schemas']['FirenzeStep'];
export type FirenzeTakeCardMove = components['schemas']['FirenzeTakeCardMove'];
export type FirenzeTowerView = components['schemas']['FirenzeTowerView'];
export type FirenzeView = components['schemas']['FirenzeView'];
export type FlagOption = components['schemas']['FlagOption'];
export type Foretold = components['schemas']['Foretold'];
export type Fork = components['schemas']['Fork'];
export type ForkedFrom = components['schemas']['ForkedFrom'];
export type Game = components['schemas']['Game'];
export type GameList = components['schemas']['GameList'];
export type GameRating = components['schemas']['GameRating'];
export type Heading = components['schemas']['Heading'];
export type Holder = components['schemas']['Holder'];
export type Hook = components['schemas']['Hook'];
export type HumanSeat = components['schemas']['HumanSeat'];
export type Imported = components['schemas']['Imported'];
export type Join = components['schemas']['Join'];
export type Joined = components['schemas']['Joined'];
export type Key = components['schemas']['Key'];
export type KeyList = components['schemas']['KeyList'];
export type Ladder = components['schemas']['Ladder'];
export type LadderPlace = components['schemas']['LadderPlace'];
export type LegalMoves = components['schemas']['LegalMoves'];
export type Level = components['schemas']['Level'];
export type Line = components['schemas']['Line'];
export type LineRefusal = components['schemas']['LineRefusal'];
export type LineStep = components['schemas']['LineStep'];
export type Lines = components['schemas']['Lines'];
export type Live = components['schemas']['Live'];
export type LobbyAbortCommand = components['schemas']['LobbyAbortCommand'];
export type LobbyAgreeTakeBackCommand = components['schemas']['LobbyAgreeTakeBackCommand'];
export type LobbyAskTakeBackCommand = components['schemas']['LobbyAskTakeBackCommand'];
export type LobbyBase = components['schemas']['LobbyBase'];
export type LobbyClockPlan = components['schemas']['LobbyClockPlan'];
export type LobbyCommand = components['schemas']['LobbyCommand'];
export type LobbyDiscloseCommand = components['schemas']['LobbyDiscloseCommand'];
export type LobbyEntropyDisclosed = components['schemas']['LobbyEntropyDisclosed'];
export type LobbyEntropyPledged = components['schemas']['LobbyEntropyPledged'];
export type LobbyEraseNameCommand = components['schemas']['LobbyEraseNameCommand'];
export type LobbyEvent = components['schemas']['LobbyEvent'];
export type LobbyExpireCommand = components['schemas']['LobbyExpireCommand'];
export type LobbyForked = components['schemas']['LobbyForked'];
export type LobbyJoinCommand = components['schemas']['LobbyJoinCommand'];
export type LobbyLapseCommand = components['schemas']['LobbyLapseCommand'];
export type LobbyLeaveCommand = components['schemas']['LobbyLeaveCommand'];
export type LobbyMatchAborted = components['schemas']['LobbyMatchAborted'];
export type LobbyMatchExpired = components['schemas']['LobbyMatchExpired'];
export type LobbyMatchOpened = components['schemas']['LobbyMatchOpened'];
export type LobbyMatchStarted = components['schemas']['LobbyMatchStarted'];
export type LobbyNameErased = components['schemas']['LobbyNameErased'];
export type LobbyOpenCommand = components['schemas']['LobbyOpenCommand'];
export type LobbyPledgeCommand = components['schemas']['LobbyPledgeCommand'];
export type LobbyPledgesDropped = components['schemas']['LobbyPledgesDropped'];
export type LobbyRefuseTakeBackCommand = components['schemas']['LobbyRefuseTakeBackCommand'];
export type LobbyReplaceCommand = components['schemas']['LobbyReplaceCommand'];
export type LobbyReplaceTokenCommand = components['schemas']['LobbyReplaceTokenCommand'];
export type LobbyResignCommand = components['schemas']['LobbyResignCommand'];
export type LobbyRestoreCommand = components['schemas']['LobbyRestoreCommand'];
export type LobbyReturnCommand = components['schemas']['LobbyReturnCommand'];
export type LobbyRevealCommand = components['schemas']['LobbyRevealCommand'];
export type LobbyRevokeTokenCommand = components['schemas']['LobbyRevokeTokenCommand'];
export type LobbyRunOutCommand = components['schemas']['LobbyRunOutCommand'];
export type LobbySeatJoined = components['schemas']['LobbySeatJoined'];
export type LobbySeatLeft = components['schemas']['LobbySeatLeft'];
export type LobbySeatPlan = components['schemas']['LobbySeatPlan'];
export type LobbySeatReplaced = components['schemas']['LobbySeatReplaced'];
export type LobbySeatResigned = components['schemas']['LobbySeatResigned'];
export type LobbySeatRestored = components['schemas']['LobbySeatRestored'];
export type LobbySecretsRevealed = components['schemas']['LobbySecretsRevealed'];
export type LobbyStartCommand = components['schemas']['LobbyStartCommand'];
export type LobbyTakeBackAgreed = components['schemas']['LobbyTakeBackAgreed'];
export type LobbyTakeBackAsked = components['schemas']['LobbyTakeBackAsked'];
export type LobbyTakeBackRefused = components['schemas']['LobbyTakeBackRefused'];
export type LobbyTakenBack = components['schemas']['LobbyTakenBack'];
export type LobbyTimeRanOut = components['schemas']['LobbyTimeRanOut'];
export type LobbyTokenReplaced = components['schemas']['LobbyTokenReplaced'];
export type LobbyTokenRevoked = components['schemas']['LobbyTokenRevoked'];
export type LoggedCommit = components['schemas']['LoggedCommit'];
export type LongSeat = components['schemas']['LongSeat'];
export type MadeMove = components['schemas']['MadeMove'];
export type Match = components['schemas']['Match'];
export type MatchId = components['schemas']['MatchId'];
export type MatchList = components['schemas']['MatchList'];
export type MatchNews = components['schemas']['MatchNews'];
export type MatchStatus = components['schemas']['MatchStatus'];
export type MatchSummary = components['schemas']['MatchSummary'];
export type McpAnswer = components['schemas']['McpAnswer'];
export type McpError = components['schemas']['McpError'];
export type McpMessage = components['schemas']['McpMessage'];
export type MinimalCommit = components['schemas']['MinimalCommit'];
export type Moment = components['schemas']['Moment'];
export type Move = components['schemas']['Move'];
export type NewClock = components['schemas']['NewClock'];
export type NewHook = components['schemas']['NewHook'];
export type NumberOption = components['schemas']['NumberOption'];
export type OpenCalimalaMatch = components['schemas']['OpenCalimalaMatch'];
export type OpenFirenzeMatch = components['schemas']['OpenFirenzeMatch'];
export type OpenMatch = components['schemas']['OpenMatch'];
export type OpenSeat = components['schemas']['OpenSeat'];
export type OpenedCalimalaMatch = components['schemas']['OpenedCalimalaMatch'];
export type OpenedFirenzeMatch = components['schemas']['OpenedFirenzeMatch'];
export type OpenedMatch = components['schemas']['OpenedMatch'];
export type Option = components['schemas']['Option'];
export type OptionData = components['schemas']['OptionData'];
export type Outcome = components['schemas']['Outcome'];
export type ParameterMistake = components['schemas']['ParameterMistake'];
export type PlayAgain = components['schemas']['PlayAgain'];
export type PlayedMatch = components['schemas']['PlayedMatch'];
export type Player = components['schemas']['Player'];
export type Pledge = components['schemas']['Pledge'];
export type Preview = components['schemas']['Preview'];
export type PreviewedEvent = components['schemas']['PreviewedEvent'];
export type Problem = components['schemas']['Problem'];
export type Rating = components['schemas']['Rating'];
export type RatingAfter = components['schemas']['RatingAfter'];
export type Ready = components['schemas']['Ready'];
export type Receipt = components['schemas']['Receipt'];
export type RecordLine = components['schemas']['RecordLine'];
export type Rematch = components['schemas']['Rematch'];
export type Report = components['schemas']['Report'];
export type RewrittenLog = components['schemas']['RewrittenLog'];
export type RewrittenMatch = components['schemas']['RewrittenMatch'];
export type Root = components['schemas']['Root'];
export type Rotate = components['schemas']['Rotate'];
export type Seat = components['schemas']['Seat'];
export type SeatPlan = components['schemas']['SeatPlan'];
export type Sentence = components['schemas']['Sentence'];
export type ShortSeat = components['schemas']['ShortSeat'];
export type State = components['schemas']['State'];
export type StateList = components['schemas']['StateList'];
export type Story = components['schemas']['Story'];
export type StoryLine = components['schemas']['StoryLine'];
export type TakeBack = components['schemas']['TakeBack'];
export type TakeBackAsk = components['schemas']['TakeBackAsk'];
export type Thought = components['schemas']['Thought'];
export type ThoughtList = components['schemas']['ThoughtList'];
export type Token = components['schemas']['Token'];
export type TryLine = components['schemas']['TryLine'];
export type TurningPoint = components['schemas']['TurningPoint'];
export type Visibility = components['schemas']['Visibility'];
export type WaitingFor = components['schemas']['WaitingFor'];
export type Webhook = components['schemas']['Webhook'];
export type ResponseAnotherLog = components['responses']['AnotherLog'];
export type ResponseAnyProblem = components['responses']['AnyProblem'];
export type ResponseBusy = components['responses']['Busy'];
export type ResponseBusyOrRequestInProgressOrRulesUnknown = components['responses']['BusyOrRequestInProgressOrRulesUnknown'];
export type ResponseBusyOrRulesUnknown = components['responses']['BusyOrRulesUnknown'];
export type ResponseForbidden = components['responses']['Forbidden'];
export type ResponseForbiddenOrCrossSite = components['responses']['ForbiddenOrCrossSite'];
export type ResponseForbiddenOrFeatureOffOrCrossSite = components['responses']['ForbiddenOrFeatureOffOrCrossSite'];
export type ResponseIllegalMoveOrBusyOrRequestInProgressOrRulesUnknown = components['responses']['IllegalMoveOrBusyOrRequestInProgressOrRulesUnknown'];
export type ResponseIllegalMoveOrNotRevealedOrRulesUnknown = components['responses']['IllegalMoveOrNotRevealedOrRulesUnknown'];
export type ResponseIllegalMoveOrRequestInProgressOrRulesUnknown = components['responses']['IllegalMoveOrRequestInProgressOrRulesUnknown'];
export type ResponseIllegalMoveOrRulesUnknown = components['responses']['IllegalMoveOrRulesUnknown'];
export type ResponseInvalidRequestOrBadRecord = components['responses']['InvalidRequestOrBadRecord'];
export type ResponseInvalidRequestOrIdempotencyKeyReused = components['responses']['InvalidRequestOrIdempotencyKeyReused'];
export type ResponseInvalidRequestOrSignatureWrong = components['responses']['InvalidRequestOrSignatureWrong'];
export type ResponseInvalidRequestOrSignatureWrongOrIdempotencyKeyReused = components['responses']['InvalidRequestOrSignatureWrongOrIdempotencyKeyReused'];
export type ResponseMade = components['responses']['Made'];
export type ResponseMatchDeleted = components['responses']['MatchDeleted'];
export type ResponseMatchExistsOrRulesUnknown = components['responses']['MatchExistsOrRulesUnknown'];
export type ResponseNotFound = components['responses']['NotFound'];
export type ResponseNotFoundOrNoSuchSeat = components['responses']['NotFoundOrNoSuchSeat'];
export type ResponseNotModified = components['responses']['NotModified'];
export type ResponseNotRevealed = components['responses']['NotRevealed'];
export type ResponseNotRevealedOrRulesUnknown = components['responses']['NotRevealedOrRulesUnknown'];
export type ResponsePreconditionRequired = components['responses']['PreconditionRequired'];
export type ResponseRateLimitedOrTooManyStreams = components['responses']['RateLimitedOrTooManyStreams'];
export type ResponseRulesUnknown = components['responses']['RulesUnknown'];
export type ResponseStaleVersion = components['responses']['StaleVersion'];
export type ResponseUnauthorized = components['responses']['Unauthorized'];
export type ParameterAfter = components['parameters']['After'];
export type ParameterFrom = components['parameters']['From'];
export type ParameterGame = components['parameters']['Game'];
export type ParameterHolder = components['parameters']['Holder'];
export type ParameterIdempotencyKey = components['parameters']['IdempotencyKey'];
export type ParameterIfMatch = components['parameters']['IfMatch'];
export type ParameterIfNoneMatch = components['parameters']['IfNoneMatch'];
export type ParameterLimit = components['parameters']['Limit'];
export type ParameterMatch = components['parameters']['Match'];
export type ParameterPlayer = components['parameters']['Player'];
export type ParameterSeat = components['parameters']['Seat'];
export type ParameterSecretIdempotencyKey = components['parameters']['SecretIdempotencyKey'];
export type ParameterSignature = components['parameters']['Signature'];
export type ParameterTo = components['parameters']['To'];
export type ParameterVersion = components['parameters']['Version'];
export type ParameterWait = components['parameters']['Wait'];
export type HeaderAcceptEncoding = components['headers']['Accept-Encoding'];
export type HeaderAcceptPost = components['headers']['Accept-Post'];
export type HeaderCacheControl = components['headers']['Cache-Control'];
export type HeaderContentDisposition = components['headers']['Content-Disposition'];
export type HeaderETag = components['headers']['ETag'];
export type HeaderGiornaleMissing = components['headers']['Giornale-Missing'];
export type HeaderIdempotentReplayed = components['headers']['Idempotent-Replayed'];
export type HeaderLink = components['headers']['Link'];
export type HeaderLocation = components['headers']['Location'];
export type HeaderPreferenceApplied = components['headers']['Preference-Applied'];
export type HeaderRateLimit = components['headers']['RateLimit'];
export type HeaderRateLimitPolicy = components['headers']['RateLimit-Policy'];
export type HeaderRetryAfter = components['headers']['Retry-After'];
export type HeaderVary = components['headers']['Vary'];
export type HeaderWwwAuthenticate = components['headers']['WWW-Authenticate'];
export type HeaderXRequestId = components['headers']['X-Request-Id'];
