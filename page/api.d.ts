// Written by `make openapi` from openapi.yaml: do not change it by hand.

export interface components {
    schemas: {
        /** @description What a strong bot would do on the caller's seat; it thinks until `status` is ready. */
        Advice: {
            /** @description The match's id. */
            match: components["schemas"]["MatchId"];
            /** @description The version that it is for. */
            version: number;
            /** @description Whose advice it is. */
            seat: number;
            /** @description The level of the bot. */
            level: components["schemas"]["BotLevel"];
            /**
             * @description How far it is.
             * @enum {string}
             */
            status: "thinking" | "ready";
            /** @description How often the bot has played on in its head. */
            iterations: number;
            /** @description The best moves, the one to make first; [] until ready. */
            best: components["schemas"]["Candidate"][];
        };
        /** @description How far the match is to go back. */
        AskTakeBack: {
            /** @description The version to go back to. */
            to: number;
        };
        /** @description An audit, done or under way. */
        Audit: {
            /** @description The match's id. */
            match: components["schemas"]["MatchId"];
            /** @description Up to which version. */
            version: number;
            /** @description How many commits have been checked. */
            done: number;
            /** @description What it found; null: it is under way. */
            report: components["schemas"]["Report"] | null;
        };
        /** @description What happened to a token or a name without a commit (M13). */
        Beside: {
            /**
             * Format: date-time
             * @description When it happened.
             */
            at: string;
            /**
             * @description What happened.
             * @enum {string}
             */
            what: "token_replaced" | "token_revoked" | "name_erased";
            /** @description Whose token it was. */
            holder?: string;
            /** @description Whose name it was. */
            seat?: number;
        };
        /** @description The bot that is to hold a seat. */
        Bot: {
            /** @description How the bot chooses: one of the `levels` of the game. `greedy` by default. */
            level?: components["schemas"]["BotLevel"];
        };
        /**
         * @description How a bot chooses its moves.
         * @enum {string}
         */
        BotLevel: "random" | "greedy" | "quick" | "strong";
        /** @description A seat that a bot holds. */
        BotSeat: {
            /**
             * @description How the seat begins. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            kind: "bot";
            /** @description How the bot chooses: one of the `levels` of the game. `greedy` by default. */
            level?: components["schemas"]["BotLevel"];
            /** @description The human's name, kept outside the hash chain. */
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
        /** @description An activated action was carried out; workshops is the cloth in each workshop afterwards, if it changed (C19). */
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
        /** @description The action of each cell 0..8, the tiles in council order and the open final card, if there is one (C11, C12). */
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
        /** @description An action card was carried out and discarded; workshops as in ActionPerformed (C20, C22). */
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
        /** @description A command of calimala/1. As it was recorded in a commit: with its seat, and without what the reader may not see. */
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
             * @description The rules version it was made by. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            rules: "calimala/1";
            /** @description The version that it made. */
            version: number;
            /**
             * Format: date-time
             * @description When it was made.
             */
            time: string;
            /** @description Who made it: seat:N, house, owner, or public for who joined. */
            actor: string;
            /** @description What was asked. */
            command: components["schemas"]["Calimala1Command"] | components["schemas"]["LobbyCommand"];
            /** @description What happened, in this order. */
            events: (components["schemas"]["Calimala1Event"] | components["schemas"]["LobbyEvent"])[];
            /** @description Its own hash. */
            hash: string;
            /** @description The hash of the commit before it. */
            prev: string;
            /** @description That of its seat's key, as the caller may see it (M18). */
            signature?: string;
            /** @description In the answer to its maker, and where one commit is asked for. */
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
        /** @description An activated action was given up for a card; drew is false when no card was left (C19, C22). */
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
        /** @description A seat's disc left a street for the council; the white one went on top of that stack or left the game (C33). */
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
        /** @description A disc was placed; activates lists the owners of the discs that it activates, from the top down (C14, C16). */
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
        /** @description A final scoring card was settled for everybody (C41); the fields are those of TileScored. */
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
        /** @description Take one's own disc from a street as the council seat; position 0 is the bottom of the stack (C33). */
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
        /** @description The points and the rank of each seat; 1 is best, ranks may be shared (C42). */
        Calimala1MatchEnded: {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "match_ended";
            points: number[];
            ranks: number[];
        };
        /** @description Carry out an activated action (C19) with the parameters that it takes. build: build, and city for a trade house (C24); artwork: building (C25); ship, transport: cities, one for each cloth (C27, C28); contribute: resource and building (C29); the others take none. */
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
        /** @description Play an action card from the hand (C20); the parameters are those of Perform. */
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
        /** @description No more discs will be placed; what is left is scored (C39, C40). */
        Calimala1PlayEnded: {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "play_ended";
        };
        /** @description What a move would cause. The rules are calimala/1. */
        Calimala1Preview: {
            /**
             * @description The game's key.
             * @constant
             */
            game: "calimala";
            /**
             * @description The rules version that the match is played by. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            rules: "calimala/1";
            /** @description The version that it was tried at. */
            version: number;
            /** @description The events, each with what it would change as far as that is known. */
            events: components["schemas"]["Calimala1PreviewedEvent"][];
            /** @description True: nothing was committed. */
            dry_run: boolean;
        };
        /** @description What would happen, and what that would change. */
        Calimala1PreviewedEvent: {
            /** @description What chance would decide. */
            drawn?: string[];
            /** @description It in words. */
            sentence: components["schemas"]["Sentence"];
            /** @description What it changes, if that is known. */
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
        /** @description The house shuffles the tiles and the council and deals the final scoring cards (C11, C12). */
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
        /** @description A scoring tile was settled (C35-C37). counts, points: by seat. order: the seats with cubes, best first. decided_by: what put each of them above the next. */
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
        /** @description The white disc at the bottom joined the seat's reserve; a coloured one from there took the council seat (C32). */
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
        /** @description One thing that is still to be settled, and by whom. */
        CalimalaAgendaItemView: {
            /**
             * @description What it is: the house sets up (opening); all keep a scoring card (keeping); a seat takes an action card (drafting), places a disc (turn) or carries out actions (activation); the bottom disc of a street goes to the council (promotion); a disc is given for a white one (exchange); the house settles a tile (scoring), or what is left in the end (final_scoring).
             * @enum {string}
             */
            type: "opening" | "keeping" | "drafting" | "turn" | "activation" | "promotion" | "exchange" | "scoring" | "final_scoring";
            /** @description Whose it is; left out where it is the house's or everybody's. */
            seat?: number;
            /** @description Of which street; only in an activation, promotion or exchange. */
            street?: components["schemas"]["CalimalaStreet"];
            /** @description How often each of the street's two actions remains; only in an activation (C17, C18). */
            left?: {
                [key: string]: number;
            };
            /** @description Whether one of the actions must still be carried out (C15); only in an activation. */
            duty_unmet?: boolean;
        };
        /**
         * @description Three buildings under construction, then the town hall, which takes artworks only (C8).
         * @enum {string}
         */
        CalimalaBuilding: "santa_maria_del_fiore" | "san_miniato" | "santa_croce" | "palazzo_vecchio";
        /** @description A building and what was given to it; Palazzo Vecchio takes artworks only (C8). */
        CalimalaBuildingView: {
            /** @description Its artworks (C25). */
            artwork: components["schemas"]["CalimalaCubesView"];
            /** @description Its wood (C29); left out at Palazzo Vecchio. */
            wood?: components["schemas"]["CalimalaCubesView"];
            /** @description Its brick (C29); left out at Palazzo Vecchio. */
            brick?: components["schemas"]["CalimalaCubesView"];
            /** @description Its marble (C29); left out at Palazzo Vecchio. */
            marble?: components["schemas"]["CalimalaCubesView"];
        };
        /**
         * @description What a scoring counts: the 15 scoring tiles (C6), and Palazzo Vecchio for its final card (C5).
         * @enum {string}
         */
        CalimalaCategory: "barcelona" | "lisbon" | "london" | "troyes" | "bruges" | "hamburg" | "santa_maria_del_fiore" | "san_miniato" | "santa_croce" | "artwork" | "port_cities" | "trade_cities" | "contributed_wood" | "contributed_brick" | "contributed_marble" | "palazzo_vecchio";
        /**
         * @description Three port cities, then three trade cities (C7).
         * @enum {string}
         */
        CalimalaCity: "barcelona" | "lisbon" | "london" | "troyes" | "bruges" | "hamburg";
        /** @description A city and the cloth that was brought there (C7). */
        CalimalaCityView: {
            /** @description The cloth of each seat there, by seat. */
            cloth: number[];
            /** @description How much more cloth it takes. */
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
            /** @description The cubes of each seat there, by seat. */
            cubes: number[];
            /** @description How many slots are free. */
            room: number;
        };
        /**
         * @description What puts one player above the next in a scoring, or that they share (C36, C37).
         * @enum {string}
         */
        CalimalaDecider: "count" | "sum" | "seats" | "first_to_seats" | "first_artwork" | "shared";
        /**
         * @description The two sorts of discs a player places (C10).
         * @enum {string}
         */
        CalimalaDisc: "coloured" | "white";
        /**
         * @description Whose rule says how a white fourth disc is exchanged without a coloured disc in reserve (C33).
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
        /** @description Take one's own disc from a street as the council seat; position 0 is the bottom of the stack (C33). */
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
        /** @description What everybody knows who has followed the match, and no view shows. */
        CalimalaKnown: {
            /** @description What is known of each player, by seat. */
            players: components["schemas"]["CalimalaKnownPlayer"][];
        };
        /** @description What everybody knows of one player's hand. */
        CalimalaKnownPlayer: {
            /** @description The action card that was taken openly and is still in the hand; null before one is taken, and once a card of its action was played (C13). */
            drafted_card: components["schemas"]["CalimalaAction"] | null;
        };
        /**
         * @description Whether the action tiles are shuffled or laid out as for a first game (C4).
         * @enum {string}
         */
        CalimalaLayout: "random" | "first_game";
        /** @description What the caller's seat may do now, each move as it may be posted. The game is Calimala. */
        CalimalaLegalMoves: {
            /**
             * @description The game's key. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            game: "calimala";
            /** @description The version that they belong to. */
            version: number;
            /** @description Whom the match waits for. */
            waiting_for: components["schemas"]["WaitingFor"];
            /** @description The moves; [] if it may not act. */
            moves: components["schemas"]["CalimalaMove"][];
            /** @description By command: what is legal beyond the listed moves, in the game's own terms. */
            beyond: components["schemas"]["CalimalaNothingBeyond"];
            /** @description Whose moves they are; null: no seat's token was sent, so there are none. */
            seat: number | null;
        };
        /** @description What would follow if some moves were made. The game is Calimala. */
        CalimalaLine: {
            /** @description The match's id. */
            match: components["schemas"]["MatchId"];
            /**
             * @description The game's key. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            game: "calimala";
            /** @description The rules version that the match is played by. */
            rules: string;
            /** @description The version that the line begins at. */
            version: number;
            /** @description Whose eyes it is seen with; null: anybody's. */
            seat: number | null;
            /** @description Whether all that the seat cannot see was drawn anew: the match has not ended. */
            imagined: boolean;
            /** @description What is done, and what it causes, one after another. */
            steps: components["schemas"]["CalimalaLineStep"][];
            /** @description Why the line ends early; null: it does not. */
            refusal: components["schemas"]["LineRefusal"] | null;
            /** @description What may be done next, each move with its `seat`. */
            moves: {
                [key: string]: unknown;
            }[];
            /** @description By seat and command: what is legal beyond them. */
            beyond: {
                [key: string]: unknown;
            };
        };
        /** @description A move of a line, or what the house does in between, with what it would cause. The game is Calimala. */
        CalimalaLineStep: {
            /** @description Which of the line's moves, 0 for the first; null: the house acts. */
            move: number | null;
            /** @description What happens, each event with a `sentence`; `drawn`: the fields that the seed decided. */
            events: {
                [key: string]: unknown;
            }[];
            /** @description The seats that are to act next; [] at the end. */
            waiting_for: number[];
            /** @description The game after it, as the onlooker may see it. */
            state: components["schemas"]["CalimalaView"];
        };
        /** @description What a match is and where it stands. The game is Calimala. */
        CalimalaMatch: {
            /** @description The match's id. */
            id: components["schemas"]["MatchId"];
            /**
             * @description The game's key. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            game: "calimala";
            /** @description The rules version it is played by, for ever. */
            rules: string;
            /** @description Number of its match rules (M1). */
            match_rules: number;
            /** @description The options it is played with, for ever. */
            options: components["schemas"]["CalimalaMatchOptions"];
            /** @description Who may see it. */
            visibility: components["schemas"]["Visibility"];
            /** @description Whether humans may ask for advice (M14). */
            advice: boolean;
            /** @description Where the match stands. */
            status: components["schemas"]["MatchStatus"];
            /** @description How many commits were made. */
            version: number;
            /** @description The hash of the last commit. */
            hash: string;
            /**
             * Format: date-time
             * @description When it was opened.
             */
            created: string;
            /**
             * Format: date-time
             * @description When the last commit was made.
             */
            updated: string;
            /** @description Whom the match waits for. */
            waiting_for: components["schemas"]["WaitingFor"];
            /** @description Who holds each seat. */
            seats: components["schemas"]["Seat"][];
            /** @description SHA-256 of the secret behind every draw (M10). */
            commitment: string;
            /** @description The end; null: there is none yet. */
            outcome: components["schemas"]["Outcome"] | null;
            /** @description Only of a match with a clock (M15). */
            clock?: components["schemas"]["Clock"];
            /** @description Only of a match in which moves can be taken back (M17). */
            take_back?: components["schemas"]["TakeBack"];
            /** @description The server's word for the last commit. */
            receipt?: components["schemas"]["Receipt"];
            /** @description Tokens replaced or revoked and names erased without a commit, the last 20. */
            changes?: components["schemas"]["Beside"][];
            /**
             * Format: date-time
             * @description Time from which the owner may let a bot play a human's seat (M8). Only of a running match. Null: the clock decides.
             */
            replaceable_from?: string | null;
            /** @description Only of a match that was played elsewhere and imported. */
            imported?: components["schemas"]["Origin"];
            /**
             * Format: date-time
             * @description Until when seats owe a pledge or a disclosure; only while some do (M19).
             */
            deadline?: string;
            /** @description The match that follows this one (M20). */
            rematch?: components["schemas"]["MatchId"];
            /** @description The match that this one follows (M20). */
            rematch_of?: components["schemas"]["MatchId"];
            /** @description True: the humans draw together (M19); otherwise left out. */
            joint_entropy?: boolean;
            /** @description Only of a fork. */
            forked_from?: components["schemas"]["ForkedFrom"];
        };
        /** @description The options that a match of Calimala is played with. */
        CalimalaMatchOptions: {
            /** @description Whose rule says how a white fourth disc is exchanged without a coloured disc in reserve (C33). */
            edition: components["schemas"]["CalimalaEdition"];
            /** @description Whether the action tiles are shuffled or laid out as for a first game (C4). */
            layout: components["schemas"]["CalimalaLayout"];
        };
        /** @description A move of Calimala. As it is posted: whole, and without a seat, which the token tells. */
        CalimalaMove: components["schemas"]["CalimalaKeepScoringCardMove"] | components["schemas"]["CalimalaTakeActionCardMove"] | components["schemas"]["CalimalaPlaceDiscMove"] | components["schemas"]["CalimalaPerformMove"] | components["schemas"]["CalimalaPlayCardMove"] | components["schemas"]["CalimalaCompensateMove"] | components["schemas"]["CalimalaSkipMove"] | components["schemas"]["CalimalaEndActivationMove"] | components["schemas"]["CalimalaGiveUpDiscMove"];
        /** @description Every legal move is listed. */
        CalimalaNothingBeyond: Record<string, never>;
        /** @description The options of Calimala. */
        CalimalaOptions: {
            /** @description Whose rule says how a white fourth disc is exchanged without a coloured disc in reserve (C33). `english` by default. */
            edition?: components["schemas"]["CalimalaEdition"];
            /** @description Whether the action tiles are shuffled or laid out as for a first game (C4). `random` by default. */
            layout?: components["schemas"]["CalimalaLayout"];
        };
        /** @description What only the player may see (C43). */
        CalimalaOwnView: {
            /** @description How many cards of each action; none: left out. */
            hand: {
                [key: string]: number;
            };
            /** @description The final scoring cards that were dealt, the kept one among them (C12). */
            scoring_cards_dealt: components["schemas"]["CalimalaCategory"][];
            /** @description The final scoring card that was kept; null before one is (C12). */
            scoring_card_kept: components["schemas"]["CalimalaCategory"] | null;
        };
        /** @description Carry out an activated action (C19) with the parameters that it takes. build: build, and city for a trade house (C24); artwork: building (C25); ship, transport: cities, one for each cloth (C27, C28); contribute: resource and building (C29); the others take none. */
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
        /** @description Play an action card from the hand (C20); the parameters are those of Perform. */
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
        /** @description What lies openly before one player (C9, C10). */
        CalimalaPlayerView: {
            /** @description The points so far. */
            points: number;
            /** @description How many coloured discs are left to place. */
            coloured_discs: number;
            /** @description How many white discs are left to place. */
            white_discs: number;
            /** @description How many cubes are in the reserve. */
            reserve: number;
            /** @description How many cubes are in the wood warehouse. */
            wood: number;
            /** @description How many cubes are in the brick warehouse. */
            brick: number;
            /** @description How many cubes are in the marble warehouse. */
            marble: number;
            /** @description The cloth in each workshop. */
            workshops: number[];
            /** @description How many ships there are. */
            ships: number;
            /** @description The cities with a trade house of this player. */
            trade_houses: components["schemas"]["CalimalaCity"][];
            /** @description How many action cards are in the hand; which is secret. */
            hand_size: number;
        };
        /**
         * @description What the build action builds (C24).
         * @enum {string}
         */
        CalimalaProject: "ship" | "workshop" | "trade_house";
        /**
         * @description What a warehouse holds; the same numbers as the actions that gain it (C9).
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
            /** @description The version that is shown. */
            version: number;
            /**
             * Format: date-time
             * @description When that version was made.
             */
            time: string;
            /** @description The hash of the commit that made it. */
            hash: string;
            /** @description Where the match stands. */
            status: components["schemas"]["MatchStatus"];
            /** @description Whom the match waits for. */
            waiting_for: components["schemas"]["WaitingFor"];
            /** @description Whose view it is; null: anybody's. */
            seat: number | null;
            /** @description The game as the caller may see it; null before the start. */
            state: components["schemas"]["CalimalaView"] | null;
            /** @description What everybody knows who has followed the match, and no state shows; null before the start. No commit holds a digest of it. */
            known: components["schemas"]["CalimalaKnown"] | null;
            /** @description As it was at that version; only of a match with a clock (M15). */
            clock?: components["schemas"]["Clock"];
            /** @description Only while a seat asks to take moves back (M17). */
            take_back?: components["schemas"]["TakeBackAsk"];
            /** @description The result of the match, only after the end of its game. It counts, not the ranks in `state`: those are the game's, and a seat that has resigned ranks last (M16). */
            outcome?: components["schemas"]["Outcome"];
        };
        /**
         * @description The twelve streets, each named by the two cells of the grid that it joins (C3), such as "0-1" on the wire.
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
        /** @description A match of Calimala as a seat, or the public, sees it; all is public but `own` (C43). */
        CalimalaView: {
            /** @description The seats that may act now; [-1]: the house; []: the game is over. */
            actors: number[];
            /** @description What is to be settled, the next thing first. */
            agenda: components["schemas"]["CalimalaAgendaItemView"][];
            /** @description The action of each of the nine cells, row by row (C3). */
            grid: components["schemas"]["CalimalaAction"][];
            /** @description The discs on each street from the bottom up: the seat of a coloured one, or "white" (C14). */
            streets: {
                [key: string]: (number | "white")[];
            };
            /** @description The scoring tiles in the order of scoring (C11). */
            council: components["schemas"]["CalimalaCategory"][];
            /** @description Who sits at each tile scored so far; null: nobody does (C31, C34). */
            council_seats: (number | null)[];
            /** @description How many tiles were scored. */
            tiles_scored: number;
            /** @description The seat that gave each artwork at Palazzo Vecchio, in order (C37). */
            palazzo_patrons: number[];
            /** @description The cities and the cloth there. */
            cities: {
                [key: string]: components["schemas"]["CalimalaCityView"];
            };
            /** @description The buildings and what was given to them. */
            buildings: {
                [key: string]: components["schemas"]["CalimalaBuildingView"];
            };
            /** @description The action cards that can be taken in the draft (C13). */
            open_cards: components["schemas"]["CalimalaAction"][];
            /** @description How many action cards are in the deck. */
            deck_size: number;
            /** @description How many cards of each action are on the discard pile; none: left out. */
            discards: {
                [key: string]: number;
            };
            /** @description The final scoring card that lies face up; null where none does (C12). */
            face_up_card: components["schemas"]["CalimalaCategory"] | null;
            /** @description The kept final scoring card of each seat; null until revealed (C41). */
            final_cards: components["schemas"]["CalimalaCategory"][] | null;
            /** @description How many final scoring cards were scored. */
            final_cards_scored: number;
            /** @description What lies before each player, by seat. */
            players: components["schemas"]["CalimalaPlayerView"][];
            /** @description The rank of each seat, 1 the best; null until the end (C42). */
            ranks: number[] | null;
            /** @description What the seat alone sees; left out for the public. */
            own?: components["schemas"]["CalimalaOwnView"];
        };
        /** @description A move that was weighed. */
        Candidate: {
            /** @description The move, as it may be posted. */
            move: components["schemas"]["Move"];
            /** @description How likely its seat wins after it, as the bot estimates, 0 to 1; null: it is not weighed. */
            win_chance: number | null;
        };
        /** @description A commit as the journal holds it: content, hash, and the secret parts that may be seen. */
        ChainedCommit: {
            /** @description The content. */
            commit: {
                [key: string]: unknown;
            };
            /** @description SHA-256 of the content in canonical JSON. */
            hash: string;
            /** @description The secret parts, by whose they are. */
            secrets: {
                [key: string]: unknown;
            };
        };
        /** @description One operation of a JSON Patch (RFC 6902); `was` is what is replaced or removed. */
        Change: {
            /**
             * @description What to do.
             * @enum {string}
             */
            op: "add" | "remove" | "replace";
            /** @description A JSON pointer into the state. */
            path: string;
            /** @description What stands there afterwards, any JSON value; left out by `remove`. */
            value?: unknown;
            /** @description What stood there before, any JSON value; left out by `add`. */
            was?: unknown;
        };
        /** @description An option whose value is one of a few. */
        ChoiceOption: {
            /** @description Its name. */
            name: string;
            /** @description What it decides. */
            text: string;
            /**
             * @description What its values are. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            kind: "choice";
            /** @description The value if none is given. */
            default: string;
            /** @description The values to choose from. */
            choices: string[];
        };
        /** @description How much time each seat has (M15). */
        Clock: {
            /** @description How many seconds a bank holds at first, and at most. */
            bank_s: number;
            /** @description How many seconds are added after a turn. */
            move_s: number;
            /** @description The level of the bots that stand in. */
            level: components["schemas"]["BotLevel"];
            /** @description The milliseconds in each bank when the last commit was made, by seat. */
            left_ms: number[];
            /** @description The seats whose time runs since then. */
            paying: number[];
            /**
             * Format: date-time
             * @description When the first of their banks is empty; null: nobody's time runs.
             */
            due: string | null;
        };
        /** @description What was asked in a match of any game. */
        Command: components["schemas"]["LobbyCommand"] | components["schemas"]["Calimala1Command"] | components["schemas"]["Firenze1Command"];
        /** @description One accepted command with the events that it caused, as the caller may see them. Distinguished by `rules`. */
        Commit: components["schemas"]["Calimala1Commit"] | components["schemas"]["Firenze1Commit"];
        /** @description A page of the history, oldest first; the header Link leads on and back. */
        CommitList: {
            /** @description The commits. */
            commits: components["schemas"]["Commit"][];
        };
        /** @description Who was likely to win, from turn to turn, as bots value positions of which all is known. */
        Curve: {
            /** @description One where a turn begins and the chances have changed, and one for the end; [] for a game whose positions no bot can value. */
            points: components["schemas"]["CurvePoint"][];
            /** @description The turns that changed the most, five at most. */
            turning_points: components["schemas"]["TurningPoint"][];
        };
        /** @description How a match stood where a turn began, or at its end. */
        CurvePoint: {
            /** @description The version. */
            version: number;
            /** @description How likely each seat was to win, seat 0 first. */
            win_chances: number[];
        };
        /** @description An option whose value is an object, checked as a whole when a match is opened. */
        DataOption: {
            /** @description Its name. */
            name: string;
            /** @description What it decides. */
            text: string;
            /**
             * @description What its values are. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            kind: "data";
            /** @description The value if none is given. */
            default: components["schemas"]["OptionData"];
        };
        /** @description What happened between two versions, and how the state that the caller sees changed. */
        Diff: {
            /** @description The version that `changes` lead from. */
            from: number;
            /** @description The match's id. */
            match: components["schemas"]["MatchId"];
            /** @description The version that `changes` lead to; it may be the earlier one. */
            to: number;
            /** @description The commits in between, the first of very many. */
            commits: components["schemas"]["Commit"][];
            /** @description The same commits in sentences. */
            story: components["schemas"]["StoryLine"][];
            /** @description A JSON Patch that makes the state at `to` of that at `from`. */
            changes: components["schemas"]["Change"][];
        };
        /** @description The entropy that was pledged (M19). */
        Disclosure: {
            /** @description The 32 bytes in hex. */
            entropy: string;
        };
        /** @description What happened in a match of any game. */
        Event: components["schemas"]["LobbyEvent"] | components["schemas"]["Calimala1Event"] | components["schemas"]["Firenze1Event"];
        /** @description The first thing wrong with a history. */
        Fault: {
            /** @description The commit that is wrong, 0 for the match as a whole. */
            commit: number;
            /** @description What is wrong, for programs. */
            code: string;
            /** @description What is wrong. */
            detail: string;
        };
        /** @description A page of all commits. */
        Feed: {
            /** @description The commits. */
            commits: components["schemas"]["LoggedCommit"][];
            /** @description Position to send as `after` to go on, with `log`. */
            next: number;
            /** @description ID of the log. Null until its first entry. */
            log: string | null;
        };
        /** @description Say whether a Patrician is spent on the event just taken (F31). */
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
        /** @description One brick of a tower of this seat went to the pouch; with its last one the tower vanished (F30, F32). */
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
        /** @description A seat gave a storehouse brick to the target and took one of its (F30). */
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
        /** @description Lay bricks onto new and standing towers, six in all at most, and pay for those beyond two (F19). */
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
        /** @description The building of this turn, perhaps of nothing; the payment went to the pouch (F19). */
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
        /** @description The taken card went to a seat's hand or open buildings (F15; with the Monument not always the taker's, F36). */
        Firenze1CardKept: {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "card_kept";
            seat: number;
            card: components["schemas"]["FirenzeCard"];
        };
        /** @description The taken card was discarded: an event when settled, a second building, a tied Monument (F15, F36). */
        Firenze1CardSpent: {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "card_spent";
            seat: number;
            card: components["schemas"]["FirenzeCard"];
        };
        /** @description A card left the row; its bricks went to the seat, the payment onto the slots left of it (F14). */
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
        /** @description What a seat's copies of one Celebration card bring in all (F39). */
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
        /** @description A command of firenze/1. As it was recorded in a commit: with its seat, and without what the reader may not see. */
        Firenze1Command: components["schemas"]["Firenze1SetUpCommand"] | components["schemas"]["Firenze1TakeCardCommand"] | components["schemas"]["Firenze1AnswerEventCommand"] | components["schemas"]["Firenze1ResolveEventCommand"] | components["schemas"]["Firenze1DiscardCommand"] | components["schemas"]["Firenze1ExchangeCommand"] | components["schemas"]["Firenze1BuildCommand"] | components["schemas"]["Firenze1FulfilCommand"] | components["schemas"]["Firenze1PlayPersonnelCommand"] | components["schemas"]["Firenze1EndTurnCommand"] | components["schemas"]["Firenze1ScoreCommand"];
        /** @description A tower of `bricks` bricks fulfilled a commission (F21). points: printed or on the balcony (F22); level: of the level tile (F23); privilege: of church cards (F37). architect: the Architect made up the level between height and bricks (F28). */
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
             * @description The rules version it was made by. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            rules: "firenze/1";
            /** @description The version that it made. */
            version: number;
            /**
             * Format: date-time
             * @description When it was made.
             */
            time: string;
            /** @description Who made it: seat:N, house, owner, or public for who joined. */
            actor: string;
            /** @description What was asked. */
            command: components["schemas"]["Firenze1Command"] | components["schemas"]["LobbyCommand"];
            /** @description What happened, in this order. */
            events: (components["schemas"]["Firenze1Event"] | components["schemas"]["LobbyEvent"])[];
            /** @description Its own hash. */
            hash: string;
            /** @description The hash of the commit before it. */
            prev: string;
            /** @description That of its seat's key, as the caller may see it (M18). */
            signature?: string;
            /** @description In the answer to its maker, and where one commit is asked for. */
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
        /** @description The discards, and what was left of the deck, became the new deck (F17, F35). */
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
        /** @description What an event takes from a seat (F33): a number of bricks (of these colours, if any are named), lost towers. */
        Firenze1Due: {
            seat: number;
            bricks: number;
            exact: components["schemas"]["FirenzeColour"][];
            lost: number[];
        };
        /** @description A seat handed over what an event takes (F34). */
        Firenze1DuePaid: {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "due_paid";
            seat: number;
            bricks: components["schemas"]["FirenzeColour"][];
        };
        /** @description An event takes this from each seat that it touches (F33). */
        Firenze1DuesLaid: {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "dues_laid";
            card: components["schemas"]["FirenzeCard"];
            dues: components["schemas"]["Firenze1Due"][];
        };
        /** @description A seat placed the first last seal (F40). */
        Firenze1EndTileTaken: {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "end_tile_taken";
            seat: number;
            points: number;
        };
        /** @description End the turn, naming the bricks and cards beyond the limits that go (F24). */
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
        /** @description Take one brick of this colour from a card in the row and put bricks of one's own onto that card (F18). */
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
        /** @description The final scoring explained: majorities, Celebration cards, points before and after, ranks (F41, F42). */
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
        /** @description Deliver a tower to the commission of this colour and height, or to the Campanile (F21, F38). */
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
        /** @description Bricks laid onto a tower; a number not seen before is a new tower. */
        Firenze1Laid: {
            tower: number;
            colour: components["schemas"]["FirenzeColour"];
            bricks: number;
        };
        /** @description Bricks of one colour for one tower; without a number a new tower is begun (F19). */
        Firenze1Lay: {
            colour: components["schemas"]["FirenzeColour"];
            bricks: number;
            tower?: number | null;
        };
        /** @description The majority of one colour: seals by seat, who had most, the highest seal of each of these, who won (F41). highest is 0 for a seat that was not tied; seat is None where nobody has a seal. */
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
        /** @description The last turn is over; the house scores next (F40, F45). */
        Firenze1PlayEnded: {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "play_ended";
            reason: components["schemas"]["FirenzeEnd"];
        };
        /** @description Play a Personnel card (F26). Its fields, alchemist: take, give (F27). architect: none, or tower and by (F28). mason, princess: none. wholesaler: slot (F29). saboteur: target (a seat), tower. smuggler: target, take, give (F30). patrician: discard, a card (F31). give may be left out, it is then chosen by F25 among the other colours than take. */
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
        /** @description The event waits for its taker: to answer it (F31) or to say what is lost (F32). */
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
        /** @description What a move would cause. The rules are firenze/1. */
        Firenze1Preview: {
            /**
             * @description The game's key.
             * @constant
             */
            game: "firenze";
            /**
             * @description The rules version that the match is played by. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            rules: "firenze/1";
            /** @description The version that it was tried at. */
            version: number;
            /** @description The events, each with what it would change as far as that is known. */
            events: components["schemas"]["Firenze1PreviewedEvent"][];
            /** @description True: nothing was committed. */
            dry_run: boolean;
        };
        /** @description What would happen, and what that would change. */
        Firenze1PreviewedEvent: {
            /** @description What chance would decide. */
            drawn?: string[];
            /** @description It in words. */
            sentence: components["schemas"]["Sentence"];
            /** @description What it changes, if that is known. */
            changes?: components["schemas"]["Change"][];
        } | components["schemas"]["Firenze1Event"];
        /** @description Say what is lost: a tower to Botch or Collapse, bricks to a Storehouse Fire (F32). */
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
        /** @description Take the card of a slot; payment: one brick for each slot left of it, the first for slot 0 (F14). */
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
        /** @description A tower was torn down: `lost` of its bricks went to the pouch, `saved` to the storehouse (F20, F33). */
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
        /** @description A seat's turn began; turn counts the turns of all from 0 (F1). */
        Firenze1TurnBegan: {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "turn_began";
            seat: number;
            turn: number;
        };
        /** @description Say whether a Patrician is spent on the event just taken (F31). */
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
            /** @description The number of the tower that it is bound to; null: to none. */
            tower: number | null;
            /** @description How many levels it adds, 1 or -1; null: either. */
            by: number | null;
        };
        /** @description A balcony tile on a commission (F10). */
        FirenzeBalconyView: {
            /**
             * @description Its numeral; balconies are fulfilled in their order (F22).
             * @enum {string}
             */
            numeral: "I" | "II" | "III" | "IV";
            /** @description The colour of its commission. */
            colour: components["schemas"]["FirenzeColour"];
            /** @description The height of its commission. */
            height: number;
            /** @description Its points, which replace the printed ones. */
            points: number;
            /** @description Whether it is the one that may be fulfilled next. */
            open: boolean;
        };
        /** @description What is legal beyond the listed moves, by command. */
        FirenzeBeyond: {
            /** @description What may be built; left out when the seat may not build now. */
            build?: components["schemas"]["FirenzeBuildable"];
        };
        /** @description The printed values of a board; it is checked as a whole when a match is opened (F4). */
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
            /** @description The balcony tiles; four of different numerals must fit on four commissions (F10). */
            balconies: components["schemas"]["FirenzeBoardBalcony"][];
            /** @description How often each card is there: 52 in all (F7). */
            cards: {
                [key: string]: components["schemas"]["FirenzeBoardCopies"];
            };
            /** @description How many of them are start cards: 10 in all; none: left out (F8). */
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
            /** @description Its points, which replace the printed ones. */
            points: number;
            /**
             * @description Where the value is from; as for points.
             * @enum {string}
             */
            mark?: "page" | "board" | "assumed";
        };
        /** @description How often a card is there. */
        FirenzeBoardCopies: {
            /** @description How many copies of the card there are. */
            copies: number;
            /**
             * @description Where the value is from; as for points.
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
             * @description Where the value is from: the rules page, a real board ("board" if left out), a guess.
             * @enum {string}
             */
            mark?: "page" | "board" | "assumed";
        };
        /** @description Lay bricks onto new and standing towers, six in all at most, and pay for those beyond two (F19). */
        FirenzeBuildMove: {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "build";
            lay?: components["schemas"]["FirenzeLay"][];
            payment?: components["schemas"]["FirenzeColour"][] | null;
        };
        /** @description What a seat may build now: far more than is listed (F19). */
        FirenzeBuildable: {
            /** @description The bricks at hand by colour; none of a colour: left out. */
            bricks: {
                [key: string]: number;
            };
            /** @description The towers that may be raised. */
            towers: components["schemas"]["FirenzeTowerView"][];
            /** @description How many bricks are paid, after laying, for laying 0, 1, ... 6. */
            cost: number[];
            /** @description How many bricks can be laid without paying any. */
            free: number;
            /** @description How many bricks can be laid and paid for. */
            most: number;
            /** @description Whether a Workshop makes it cheaper by 1. */
            workshop: boolean;
            /** @description Whether a Mason makes it cheaper by 3. */
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
            /** @description The points of each: as printed, or its balcony's (F10). */
            points: number[];
            /** @description What covers each: the seat whose seal it is, "neutral" (F11), or null for nothing (F21). */
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
         * @description who chooses what Flood and taxes take (F34)
         * @enum {string}
         */
        FirenzeDiscards: "automatic" | "chosen";
        /** @description What an event takes from one seat (F33). */
        FirenzeDueView: {
            /** @description The seat. */
            seat: number;
            /** @description How many bricks it must hand over. */
            bricks: number;
            /** @description Whether it has handed them over (F34). */
            paid: boolean;
            /** @description Their colours, one entry a brick; []: any colours. */
            exact: components["schemas"]["FirenzeColour"][];
            /** @description The numbers of the towers that it cannot pay for and loses. */
            lost: number[];
        };
        /**
         * @description Why the last turn was the last (F40, F45).
         * @enum {string}
         */
        FirenzeEnd: "last_seal" | "turn_limit";
        /** @description End the turn, naming the bricks and cards beyond the limits that go (F24). */
        FirenzeEndTurnMove: {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "end_turn";
            bricks?: components["schemas"]["FirenzeColour"][] | null;
            cards?: components["schemas"]["FirenzeCard"][] | null;
        };
        /** @description Take one brick of this colour from a card in the row and put bricks of one's own onto that card (F18). */
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
        /** @description Deliver a tower to the commission of this colour and height, or to the Campanile (F21, F38). */
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
        /** @description What everybody knows who has followed the match, and no view shows. */
        FirenzeKnown: {
            /** @description How many of each start card still lie on top of the deck; none: left out (F13). */
            deck_start_cards: {
                [key: string]: number;
            };
        };
        /** @description Bricks of one colour for one tower; without a number a new tower is begun (F19). */
        FirenzeLay: {
            colour: components["schemas"]["FirenzeColour"];
            bricks: number;
            tower?: number | null;
        };
        /** @description What the caller's seat may do now, each move as it may be posted. The game is Firenze. */
        FirenzeLegalMoves: {
            /**
             * @description The game's key. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            game: "firenze";
            /** @description The version that they belong to. */
            version: number;
            /** @description Whom the match waits for. */
            waiting_for: components["schemas"]["WaitingFor"];
            /** @description The moves; [] if it may not act. */
            moves: components["schemas"]["FirenzeMove"][];
            /** @description By command: what is legal beyond the listed moves, in the game's own terms. */
            beyond: components["schemas"]["FirenzeBeyond"];
            /** @description Whose moves they are; null: no seat's token was sent, so there are none. */
            seat: number | null;
        };
        /** @description A level tile, for the first tower of its height (F5, F23). */
        FirenzeLevelTileView: {
            /** @description For which height it is. */
            height: number;
            /** @description Its points. */
            points: number;
            /** @description The seat that has taken it; null: nobody has. */
            seat: number | null;
        };
        /** @description What would follow if some moves were made. The game is Firenze. */
        FirenzeLine: {
            /** @description The match's id. */
            match: components["schemas"]["MatchId"];
            /**
             * @description The game's key. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            game: "firenze";
            /** @description The rules version that the match is played by. */
            rules: string;
            /** @description The version that the line begins at. */
            version: number;
            /** @description Whose eyes it is seen with; null: anybody's. */
            seat: number | null;
            /** @description Whether all that the seat cannot see was drawn anew: the match has not ended. */
            imagined: boolean;
            /** @description What is done, and what it causes, one after another. */
            steps: components["schemas"]["FirenzeLineStep"][];
            /** @description Why the line ends early; null: it does not. */
            refusal: components["schemas"]["LineRefusal"] | null;
            /** @description What may be done next, each move with its `seat`. */
            moves: {
                [key: string]: unknown;
            }[];
            /** @description By seat and command: what is legal beyond them. */
            beyond: {
                [key: string]: unknown;
            };
        };
        /** @description A move of a line, or what the house does in between, with what it would cause. The game is Firenze. */
        FirenzeLineStep: {
            /** @description Which of the line's moves, 0 for the first; null: the house acts. */
            move: number | null;
            /** @description What happens, each event with a `sentence`; `drawn`: the fields that the seed decided. */
            events: {
                [key: string]: unknown;
            }[];
            /** @description The seats that are to act next; [] at the end. */
            waiting_for: number[];
            /** @description The game after it, as the onlooker may see it. */
            state: components["schemas"]["FirenzeView"];
        };
        /** @description What a match is and where it stands. The game is Firenze. */
        FirenzeMatch: {
            /** @description The match's id. */
            id: components["schemas"]["MatchId"];
            /**
             * @description The game's key. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            game: "firenze";
            /** @description The rules version it is played by, for ever. */
            rules: string;
            /** @description Number of its match rules (M1). */
            match_rules: number;
            /** @description The options it is played with, for ever. */
            options: components["schemas"]["FirenzeMatchOptions"];
            /** @description Who may see it. */
            visibility: components["schemas"]["Visibility"];
            /** @description Whether humans may ask for advice (M14). */
            advice: boolean;
            /** @description Where the match stands. */
            status: components["schemas"]["MatchStatus"];
            /** @description How many commits were made. */
            version: number;
            /** @description The hash of the last commit. */
            hash: string;
            /**
             * Format: date-time
             * @description When it was opened.
             */
            created: string;
            /**
             * Format: date-time
             * @description When the last commit was made.
             */
            updated: string;
            /** @description Whom the match waits for. */
            waiting_for: components["schemas"]["WaitingFor"];
            /** @description Who holds each seat. */
            seats: components["schemas"]["Seat"][];
            /** @description SHA-256 of the secret behind every draw (M10). */
            commitment: string;
            /** @description The end; null: there is none yet. */
            outcome: components["schemas"]["Outcome"] | null;
            /** @description Only of a match with a clock (M15). */
            clock?: components["schemas"]["Clock"];
            /** @description Only of a match in which moves can be taken back (M17). */
            take_back?: components["schemas"]["TakeBack"];
            /** @description The server's word for the last commit. */
            receipt?: components["schemas"]["Receipt"];
            /** @description Tokens replaced or revoked and names erased without a commit, the last 20. */
            changes?: components["schemas"]["Beside"][];
            /**
             * Format: date-time
             * @description Time from which the owner may let a bot play a human's seat (M8). Only of a running match. Null: the clock decides.
             */
            replaceable_from?: string | null;
            /** @description Only of a match that was played elsewhere and imported. */
            imported?: components["schemas"]["Origin"];
            /**
             * Format: date-time
             * @description Until when seats owe a pledge or a disclosure; only while some do (M19).
             */
            deadline?: string;
            /** @description The match that follows this one (M20). */
            rematch?: components["schemas"]["MatchId"];
            /** @description The match that this one follows (M20). */
            rematch_of?: components["schemas"]["MatchId"];
            /** @description True: the humans draw together (M19); otherwise left out. */
            joint_entropy?: boolean;
            /** @description Only of a fork. */
            forked_from?: components["schemas"]["ForkedFrom"];
        };
        /** @description The options that a match of Firenze is played with. */
        FirenzeMatchOptions: {
            /** @description the printed values of the board (F4) */
            board: components["schemas"]["FirenzeBoard"];
            /** @description whether the Campanile is in the deck (F13) */
            campanile: boolean;
            /** @description what a Patrician does to an event for all (F31) */
            patrician: components["schemas"]["FirenzePatrician"];
            /** @description who chooses what Flood and taxes take (F34) */
            discards: components["schemas"]["FirenzeDiscards"];
            /** @description turns a player after which the match ends (F45) */
            turn_limit: number;
        };
        /** @description A move of Firenze. As it is posted: whole, and without a seat, which the token tells. */
        FirenzeMove: components["schemas"]["FirenzeTakeCardMove"] | components["schemas"]["FirenzeAnswerEventMove"] | components["schemas"]["FirenzeResolveEventMove"] | components["schemas"]["FirenzeDiscardMove"] | components["schemas"]["FirenzeExchangeMove"] | components["schemas"]["FirenzeBuildMove"] | components["schemas"]["FirenzeFulfilMove"] | components["schemas"]["FirenzePlayPersonnelMove"] | components["schemas"]["FirenzeEndTurnMove"];
        /** @description The options of Firenze. */
        FirenzeOptions: {
            /** @description the printed values of the board (F4) */
            board?: components["schemas"]["FirenzeBoard"];
            /** @description whether the Campanile is in the deck (F13) `true` by default. */
            campanile?: boolean;
            /** @description what a Patrician does to an event for all (F31) `cancels` by default. */
            patrician?: components["schemas"]["FirenzePatrician"];
            /** @description who chooses what Flood and taxes take (F34) `automatic` by default. */
            discards?: components["schemas"]["FirenzeDiscards"];
            /** @description turns a player after which the match ends (F45) `60` by default. */
            turn_limit?: number;
        };
        /**
         * @description what a Patrician does to an event for all (F31)
         * @enum {string}
         */
        FirenzePatrician: "cancels" | "spares";
        /** @description Play a Personnel card (F26). Its fields, alchemist: take, give (F27). architect: none, or tower and by (F28). mason, princess: none. wholesaler: slot (F29). saboteur: target (a seat), tower. smuggler: target, take, give (F30). patrician: discard, a card (F31). give may be left out, it is then chosen by F25 among the other colours than take. */
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
        /** @description What lies before one player; all of it is public (F44). */
        FirenzePlayerView: {
            /** @description The seat. */
            seat: number;
            /** @description The points so far, which may be negative (F42). */
            points: number;
            /** @description How many seals are unused (F9). */
            seals: number;
            /** @description The bricks by colour; none of a colour: left out. */
            storehouse: {
                [key: string]: number;
            };
            /** @description The towers, the oldest first. */
            towers: components["schemas"]["FirenzeTowerView"][];
            /** @description Personnel and Celebrations, one entry a card (F15). */
            hand: components["schemas"]["FirenzeCard"][];
            /** @description The Buildings that lie open (F15). */
            buildings: components["schemas"]["FirenzeCard"][];
            /** @description Whether three bricks went to the Campanile (F38). */
            bell_tower: boolean;
        };
        /** @description Say what is lost: a tower to Botch or Collapse, bricks to a Storehouse Fire (F32). */
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
            /** @description The bricks on it by colour; none of a colour: left out. */
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
            /** @description The version that is shown. */
            version: number;
            /**
             * Format: date-time
             * @description When that version was made.
             */
            time: string;
            /** @description The hash of the commit that made it. */
            hash: string;
            /** @description Where the match stands. */
            status: components["schemas"]["MatchStatus"];
            /** @description Whom the match waits for. */
            waiting_for: components["schemas"]["WaitingFor"];
            /** @description Whose view it is; null: anybody's. */
            seat: number | null;
            /** @description The game as the caller may see it; null before the start. */
            state: components["schemas"]["FirenzeView"] | null;
            /** @description What everybody knows who has followed the match, and no state shows; null before the start. No commit holds a digest of it. */
            known: components["schemas"]["FirenzeKnown"] | null;
            /** @description As it was at that version; only of a match with a clock (M15). */
            clock?: components["schemas"]["Clock"];
            /** @description Only while a seat asks to take moves back (M17). */
            take_back?: components["schemas"]["TakeBackAsk"];
            /** @description The result of the match, only after the end of its game. It counts, not the ranks in `state`: those are the game's, and a seat that has resigned ranks last (M16). */
            outcome?: components["schemas"]["Outcome"];
        };
        /**
         * @description What is to be settled next; the agenda is a stack of these.
         * @enum {string}
         */
        FirenzeStep: "set_up" | "choose" | "build" | "fulfil" | "answer" | "resolve" | "discard" | "score";
        /** @description Take the card of a slot; payment: one brick for each slot left of it, the first for slot 0 (F14). */
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
            /** @description Its number, which no other tower of the seat ever has. */
            tower: number;
            /** @description The colour of its bricks. */
            colour: components["schemas"]["FirenzeColour"];
            /** @description How many bricks high it is. */
            height: number;
            /** @description Whether it is torn down if its owner ends building now without raising it (F20). */
            lost_unless_raised: boolean;
        };
        /** @description A match of Firenze as a seat, or the public, sees it; only future draws are hidden (F44). */
        FirenzeView: {
            /** @description What is to be settled now; null: the match is over. */
            step: components["schemas"]["FirenzeStep"] | null;
            /** @description The seat whose turn it is; another may have to act within it. */
            active: number;
            /** @description How many turns, of all seats, came before this one. */
            turn: number;
            /** @description After how many turns of each seat the match ends (F45). */
            turn_limit: number;
            /** @description The seat that holds the end tile; null: nobody does (F40). */
            end_seat: number | null;
            /** @description Whether a brick was exchanged this turn (F18). */
            exchanged: boolean;
            /** @description The Personnel played this turn (F26). */
            played: components["schemas"]["FirenzeCard"][];
            /** @description The Architect at work; null: there is none. */
            architect: components["schemas"]["FirenzeArchitectView"] | null;
            /** @description The card that is taking effect; null: there is none. */
            taken: components["schemas"]["FirenzeCard"] | null;
            /** @description The bricks that came with that card, by colour; none of a colour: left out. */
            taken_bricks: {
                [key: string]: number;
            };
            /** @description What the event takes from each seat; []: no event does (F33). */
            dues: components["schemas"]["FirenzeDueView"][];
            /** @description The cards that may be taken, slot 0 first (F13). */
            row: components["schemas"]["FirenzeSlotView"][];
            /** @description The cards on the church spaces (F15). */
            church: components["schemas"]["FirenzeCard"][];
            /** @description The commissions of each colour (F3). */
            commissions: {
                [key: string]: components["schemas"]["FirenzeCommissionsView"];
            };
            /** @description The balconies I to IV (F10). */
            balconies: components["schemas"]["FirenzeBalconyView"][];
            /** @description The level tiles by height (F5). */
            level_tiles: components["schemas"]["FirenzeLevelTileView"][];
            /** @description The points for most seals on each colour (F41). */
            majority: {
                [key: string]: number;
            };
            /** @description The bricks in the pouch by colour; none of a colour: left out. */
            pouch: {
                [key: string]: number;
            };
            /** @description How many cards are in the deck. */
            deck: number;
            /** @description How many of each card are on the discard pile; none: left out. */
            discards: {
                [key: string]: number;
            };
            /** @description What lies before each player, by seat. */
            players: components["schemas"]["FirenzePlayerView"][];
            /** @description The rank of each seat, 1 the best; [] until the end (F42). */
            ranks: number[];
            /** @description What the seat may build; left out for whoever may not build now. */
            build?: components["schemas"]["FirenzeBuildable"];
        };
        /** @description An option that is on or off. */
        FlagOption: {
            /** @description Its name. */
            name: string;
            /** @description What it decides. */
            text: string;
            /**
             * @description What its values are. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            kind: "flag";
            /** @description The value if none is given. */
            default: boolean;
        };
        /** @description What a preview says of an event beside the event itself. */
        Foretold: {
            /** @description The event in words, without what chance would decide. */
            sentence: components["schemas"]["Sentence"];
            /** @description The fields that chance would decide, which are left out; only where there are any. */
            drawn?: string[];
            /** @description What the event changes in the state as the caller sees it: a JSON Patch (RFC 6902), to be applied to the state after the event before. Left out from the first event on that chance would decide: what would change from there on is not known. */
            changes?: components["schemas"]["Change"][];
        };
        /** @description A version of a match. */
        Fork: {
            /** @description Its id. */
            match: string;
            /** @description Its version. */
            version: number;
        };
        /** @description What a fork, which is not rated, goes on from (M21). */
        ForkedFrom: {
            /** @description The base. */
            match: components["schemas"]["MatchId"];
            /** @description Its version. */
            version: number;
        };
        /** @description A game that can be opened. */
        Game: {
            /** @description Its key. */
            key: string;
            /** @description Its name. */
            title: string;
            /** @description The version of its rules that new matches are played by. */
            rules: string;
            /** @description Where its rules are, numbered. */
            rules_url: string;
            /** @description How many seats it takes. */
            seats: number[];
            /** @description What can be chosen for a match. */
            options: components["schemas"]["Option"][];
            /** @description The levels of its bots, the weakest first. */
            levels: string[];
            /** @description The same levels, described for players. */
            bots: components["schemas"]["Level"][];
            /** @description The types of its moves. */
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
        /** @description What a sentence begins. */
        Heading: {
            /**
             * @description Which part of the match.
             * @enum {string}
             */
            part: "setup" | "turn" | "scoring" | "end";
            /** @description The heading. */
            title: string;
        };
        /** @description A webhook, and how its calls go. */
        Hook: {
            /** @description The address that is called. */
            url: string;
            /** @description What it is called for. */
            on: string[];
            /** @description How the last call went: a status of HTTP, or what went wrong; empty before the first. */
            answer: string;
            /** @description How many calls have failed since the last that was received. */
            tries: number;
            /**
             * Format: date-time
             * @description When the next one is made, after one that has failed.
             */
            again: string | null;
            /**
             * @description gone: the address answered 410. given up: it failed for three days, and ten times.
             * @enum {string}
             */
            ended: "" | "gone" | "given up";
        };
        /** @description A seat that a human holds from the beginning; the answer has its token. */
        HumanSeat: {
            /**
             * @description How the seat begins. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            kind: "human";
            /** @description The human's name, kept outside the hash chain. */
            name?: string;
            /** @description Bytes in hex that go into the seed of every draw (M10). */
            entropy?: string;
            /** @description A key that signs for the seat (M18); it stays in the history. */
            key?: string;
            /** @description The key's signature over opening, Idempotency-Key and seat (M18). */
            proof?: string;
            /** @description What the human pledges where all draw together: `digest` (M19). */
            pledge?: string;
        };
        /** @description A match taken in from its record. */
        Imported: {
            /** @description The match's id. */
            match: components["schemas"]["MatchId"];
            /** @description How many commits it has. */
            commits: number;
        };
        /** @description Who takes a seat. */
        Join: {
            /** @description The human's name, kept outside the hash chain. */
            name?: string;
            /** @description Bytes in hex that go into the seed of every draw (M10). */
            entropy?: string;
            /** @description A key that signs for the seat (M18); it stays in the history. */
            key?: string;
            /** @description The key's signature over match, seat and head hash (M18). */
            proof?: string;
            /** @description What the human pledges where all draw together: `digest` (M19). */
            pledge?: string;
        };
        /** @description A seat taken, and its token, which no later answer shows. */
        Joined: {
            /** @description The number of the seat. */
            seat: number;
            /** @description The bearer token of the seat. */
            token: string;
            /** @description The commit in which the seat was taken. */
            commit: components["schemas"]["Commit"];
        };
        /** @description A public key that receipts are checked against. */
        Key: {
            /**
             * Format: date-time
             * @description When it came into use.
             */
            from: string;
            /** @description What receipts call it. */
            id: string;
            /**
             * @description How it signs.
             * @constant
             */
            algorithm: "Ed25519";
            /** @description The 32 bytes of the public key, in hex. */
            public: string;
            /**
             * Format: date-time
             * @description It vouches for no commit made later; null: in use.
             */
            until: string | null;
        };
        /** @description All keys, oldest first. */
        KeyList: {
            /** @description The keys. */
            keys: components["schemas"]["Key"][];
            /** @description The verifier key of the log (C2SP signed-note). */
            log?: string;
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
        };
        /** @description A player on a ladder. */
        LadderPlace: {
            /** @description From 1; equal players share it. */
            place: number;
            /** @description A public key, or `bot:` and a level. */
            player: string;
            /** @description The name last given; null: none is kept. */
            name: string | null;
            /** @description The rating. */
            rating: components["schemas"]["Rating"];
        };
        /** @description What the caller's seat may do now, each move as it may be posted. Distinguished by `game`. */
        LegalMoves: components["schemas"]["CalimalaLegalMoves"] | components["schemas"]["FirenzeLegalMoves"];
        /** @description A level of bots, for players to choose from. */
        Level: {
            /** @description Its name. */
            level: string;
            /** @description How such a bot plays, in a sentence. */
            about: string;
        };
        /** @description What would follow if some moves were made. Distinguished by `game`. */
        Line: components["schemas"]["CalimalaLine"] | components["schemas"]["FirenzeLine"];
        /** @description Why a line ends before its last move. */
        LineRefusal: {
            /** @description Which of the moves is refused, 0 for the first. */
            move: number;
            /** @description The reason, for programs. */
            code: string;
            /** @description The number of the rule. */
            rule: string;
            /** @description The reason in words, and what would be legal. */
            detail: string;
        };
        /** @description A move of a line, or what the house does in between, with what it would cause. */
        LineStep: {
            /** @description Which of the line's moves, 0 for the first; null: the house acts. */
            move: number | null;
            /** @description What happens, each event with a `sentence`; `drawn`: the fields that the seed decided. */
            events: {
                [key: string]: unknown;
            }[];
            /** @description The seats that are to act next; [] at the end. */
            waiting_for: number[];
            /** @description The game after it, as the onlooker may see it. */
            state: {
                [key: string]: unknown;
            };
        };
        /** @description One JSON object a line; `x-itemSchema` says what a line holds. */
        Lines: string;
        /** @description The process serves. */
        Live: {
            /** @description ok */
            status: string;
        };
        /** @description End the match without a result; the owner's (M7). */
        LobbyAbortCommand: {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "abort";
        };
        /** @description Agree to what another seat asks to take back (M17). */
        LobbyAgreeTakeBackCommand: {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "agree_take_back";
            seat: number;
        };
        /** @description Ask to go back to how the match was at a version (M17). */
        LobbyAskTakeBackCommand: {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "ask_take_back";
            seat: number;
            to: number;
        };
        /** @description What a fork goes on from: a version of a match, its commit's hash, the whole state then. */
        LobbyBase: {
            match: string;
            version: number;
            hash: string;
            state: {
                [key: string]: unknown;
            };
        };
        /** @description A clock (M15): the seconds in the bank of each seat, those added after a turn, and the level of the bot that stands in when a bank is empty. */
        LobbyClockPlan: {
            bank_s: number;
            move_s: number;
            level: string;
        };
        /** @description What a match was asked to do. As it was recorded in a commit: with its seat, and without what the reader may not see. */
        LobbyCommand: components["schemas"]["LobbyOpenCommand"] | components["schemas"]["LobbyJoinCommand"] | components["schemas"]["LobbyLeaveCommand"] | components["schemas"]["LobbyPledgeCommand"] | components["schemas"]["LobbyDiscloseCommand"] | components["schemas"]["LobbyLapseCommand"] | components["schemas"]["LobbyStartCommand"] | components["schemas"]["LobbyAbortCommand"] | components["schemas"]["LobbyExpireCommand"] | components["schemas"]["LobbyReplaceCommand"] | components["schemas"]["LobbyRestoreCommand"] | components["schemas"]["LobbyRunOutCommand"] | components["schemas"]["LobbyReturnCommand"] | components["schemas"]["LobbyResignCommand"] | components["schemas"]["LobbyAskTakeBackCommand"] | components["schemas"]["LobbyAgreeTakeBackCommand"] | components["schemas"]["LobbyRefuseTakeBackCommand"] | components["schemas"]["LobbyRevealCommand"] | components["schemas"]["LobbyReplaceTokenCommand"] | components["schemas"]["LobbyRevokeTokenCommand"] | components["schemas"]["LobbyEraseNameCommand"];
        /** @description Disclose the entropy that was pledged, 32 bytes in hex (M19). */
        LobbyDiscloseCommand: {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "disclose";
            seat: number;
            entropy: string;
        };
        /** @description A human has disclosed entropy; with the last disclosure the match starts. */
        LobbyEntropyDisclosed: {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "entropy_disclosed";
            seat: number;
            entropy: string;
        };
        /** @description A human has pledged entropy; `digest` as in `pledge`. */
        LobbyEntropyPledged: {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "entropy_pledged";
            seat: number;
            digest: string;
        };
        /** @description Forget the name of a seat's holder (M13). */
        LobbyEraseNameCommand: {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "erase_name";
            seat: number;
        };
        /** @description What happened to a match. */
        LobbyEvent: components["schemas"]["LobbyMatchOpened"] | components["schemas"]["LobbyForked"] | components["schemas"]["LobbySeatJoined"] | components["schemas"]["LobbySeatLeft"] | components["schemas"]["LobbyEntropyPledged"] | components["schemas"]["LobbyEntropyDisclosed"] | components["schemas"]["LobbyPledgesDropped"] | components["schemas"]["LobbyMatchStarted"] | components["schemas"]["LobbyMatchAborted"] | components["schemas"]["LobbyMatchExpired"] | components["schemas"]["LobbySeatReplaced"] | components["schemas"]["LobbySeatRestored"] | components["schemas"]["LobbyTimeRanOut"] | components["schemas"]["LobbySeatResigned"] | components["schemas"]["LobbyTakeBackAsked"] | components["schemas"]["LobbyTakeBackAgreed"] | components["schemas"]["LobbyTakeBackRefused"] | components["schemas"]["LobbyTakenBack"] | components["schemas"]["LobbySecretsRevealed"] | components["schemas"]["LobbyTokenReplaced"] | components["schemas"]["LobbyTokenRevoked"] | components["schemas"]["LobbyNameErased"];
        /** @description End a match in which nothing has happened for long; the house's (M11). */
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
        /** @description Take an open seat (M2); `name`: digest of the name, `entropy`: hex that goes into every draw's seed (M10), `key`: the key that signs for the seat (M18), `pledge`: as in `pledge` (M19). proof: the key's signature over match, seat and head hash (M18). None: by match rules 1. */
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
        /** @description Open the seats again that owe a pledge or a disclosure for too long; the house's (M19). due: until when they had time, in milliseconds since 1970. */
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
        /** @description A match was opened; fields as in `open`. hides: tags of the commands that hide something from other seats (M18). None: by match rules 1. */
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
        /** @description The seats are settled and the game begins; the game's own opening events follow in the same commit. */
        LobbyMatchStarted: {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "match_started";
        };
        /** @description The name of the seat's holder is no longer kept; its digest stays in the history. */
        LobbyNameErased: {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "name_erased";
            seat: number;
        };
        /** @description Open a match (M1). `secret`: the 32 bytes behind all draws, in hex; `commitment`: SHA-256 of their key (M10). match: the id that the secret is bound to; None: it is bound to none, as in matches of the first release. advice: True: humans may ask for advice (M14); None: they may not. clock: how much time the seats have (M15); None: as much as they like. take_back: "own" or "consent": which moves are taken back (M17); None: none. base: what a fork goes on from (M21). draws: "moves": draws go by the game's own commits (M10); None: by versions. joint_entropy: True: all humans pledge and disclose entropy before the start (M19). match_rules: number of the match rules. None: 1, those of the first release. */
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
        /** @description No pledge and no disclosure counts any more; all humans pledge anew (M19). */
        LobbyPledgesDropped: {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "pledges_dropped";
        };
        /** @description Refuse what another seat asks to take back, or ask for it no more (M17). */
        LobbyRefuseTakeBackCommand: {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "refuse_take_back";
            seat: number;
        };
        /** @description Let a bot of a level hold a seat; the owner's (M8). */
        LobbyReplaceCommand: {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "replace";
            seat: number;
            level: string;
        };
        /** @description Give a holder a new token (M13); `holder`: "owner", "spectator", "invitation" or "seat:N". */
        LobbyReplaceTokenCommand: {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "replace_token";
            holder: string;
        };
        /** @description Let a bot of a level play a seat to the end; the seat's own (M16). */
        LobbyResignCommand: {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "resign";
            seat: number;
            level: string;
        };
        /** @description Give a replaced seat back to its human; the owner's (M8). */
        LobbyRestoreCommand: {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "restore";
            seat: number;
        };
        /** @description Play on at a seat where a bot stands in (M8, M15); the seat's own. */
        LobbyReturnCommand: {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "return";
            seat: number;
        };
        /** @description Lay all secrets open after the end; the house's (M9). `parts`: the secret parts of every commit by version. */
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
        /** @description Let a holder's token count no more (M13); `holder` as in `replace_token`. */
        LobbyRevokeTokenCommand: {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "revoke_token";
            holder: string;
        };
        /** @description Let a bot stand in for a seat whose bank is empty; the house's (M15). due: when it was empty, in milliseconds since 1970. */
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
        /** @description How a seat begins: kind "human", "bot" or "open"; a bot's level; the digest of the holder's name ("" if none); the key that signs for it (M18; None: no key); `pledge`: the digest of its entropy (M19). */
        LobbySeatPlan: {
            kind: string;
            level?: string;
            name?: string;
            entropy?: string;
            key?: string | null;
            pledge?: string | null;
        };
        /** @description A bot holds the seat; the human who held it, if any, may be put back. */
        LobbySeatReplaced: {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "seat_replaced";
            seat: number;
            level: string;
        };
        /** @description The human of a seat gave the match up; a bot stands in to the end. */
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
        /** @description The match's secret and every commit's secret parts with their salts, by version and audience. */
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
        /** @description Begin to play; the owner's (M4). */
        LobbyStartCommand: {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "start";
        };
        /** @description A seat agrees that the moves are taken back. */
        LobbyTakeBackAgreed: {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "take_back_agreed";
            seat: number;
        };
        /** @description A seat asks to go back to how the match was at a version. */
        LobbyTakeBackAsked: {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "take_back_asked";
            seat: number;
            to: number;
        };
        /** @description A seat refuses that the moves are taken back, or asks for it no more. */
        LobbyTakeBackRefused: {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "take_back_refused";
            seat: number;
        };
        /** @description The game is again as it was at a version; all commits after it stay in the history. */
        LobbyTakenBack: {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "taken_back";
            to: number;
        };
        /** @description The bank of a seat was empty; due as in `run_out`. A bot stands in from now on. */
        LobbyTimeRanOut: {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "time_ran_out";
            seat: number;
            due: number;
        };
        /** @description The holder has a new token; an earlier one, if there was any, no longer counts. */
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
        /** @description A commit in the order of the log. Of a private match there is the hash alone. Where an operator has accepted that the journal had lost commits, `gone_back` says when, and there is no commit. */
        LoggedCommit: {
            /** @description ID of the log. */
            log: string;
            /** @description Position in the log, from 0. It never changes. */
            position: number;
            /** @description The hash of the commit. */
            hash?: string;
            /** @description The match's id. */
            match?: components["schemas"]["MatchId"];
            /** @description The version that the commit made. */
            version?: number;
            /**
             * Format: date-time
             * @description When it was made.
             */
            time?: string;
            /** @description The game's key. */
            game?: string;
            /** @description Where the match stood when the commit got its position. */
            status?: components["schemas"]["MatchStatus"];
            /** @description Of the journal after commits were lost. */
            generation?: string;
            /**
             * Format: date-time
             * @description When the log went on after that.
             */
            gone_back?: string;
        };
        /** @description What a match is and where it stands. Distinguished by `game`. */
        Match: components["schemas"]["CalimalaMatch"] | components["schemas"]["FirenzeMatch"];
        /** @description The id of a match. */
        MatchId: string;
        /** @description A page of matches, newest first; the header Link leads to older ones. */
        MatchList: {
            /** @description The matches. */
            matches: components["schemas"]["MatchSummary"][];
        };
        /** @description How a match stands for the holder of a token, distinguished by `event`. turn: the token's seat must act. waiting: it need not. take_back: its consent is awaited to go back to the version `to`; whether it must act follows. ended: the match is over. gone: the token is not, or no longer, a token of a match. rewritten: the server has lost commits that it had reported; how the match stands now follows. presence: which seats are `here`, for seats alone. */
        MatchNews: {
            /**
             * @description What there is to know.
             * @enum {string}
             */
            event: "turn" | "waiting" | "take_back" | "ended" | "gone" | "rewritten" | "presence";
            /** @description The match's id. */
            match: components["schemas"]["MatchId"];
            /** @description The version of the match; 0 if it is gone. */
            version: number;
            /** @description The token's seat; null for a token of no seat. */
            seat: number | null;
            /** @description Where the match stands. */
            status?: components["schemas"]["MatchStatus"];
            /** @description Whom the match waits for. */
            waiting_for?: components["schemas"]["WaitingFor"];
            /**
             * Format: date-time
             * @description When the first seat's time runs out (M15, M19); null: nobody's time runs.
             */
            deadline?: string | null;
            /** @description The end; null: the match ended without one (M7, M11). */
            outcome?: components["schemas"]["Outcome"] | null;
            /** @description Of `presence`: the seats that followed it in the last 3 minutes. */
            here?: number[];
            /** @description Of `take_back`: the version to go back to. */
            to?: number;
            /** @description Of a line: what to send as Last-Event-ID to go on after it. */
            id?: string;
        };
        /**
         * @description Where a match stands.
         * @enum {string}
         */
        MatchStatus: "open" | "running" | "finished" | "aborted";
        /** @description What a list says of a match. */
        MatchSummary: {
            /** @description The match's id. */
            id: components["schemas"]["MatchId"];
            /** @description The game's key. */
            game: string;
            /** @description Who may see it. */
            visibility: components["schemas"]["Visibility"];
            /** @description Whether humans may ask for advice (M14). */
            advice: boolean;
            /** @description Where the match stands. */
            status: components["schemas"]["MatchStatus"];
            /** @description How many commits were made. */
            version: number;
            /**
             * Format: date-time
             * @description When it was opened.
             */
            created: string;
            /**
             * Format: date-time
             * @description When the last commit was made.
             */
            updated: string;
            /** @description Whom the match waits for. */
            waiting_for: components["schemas"]["WaitingFor"];
            /**
             * Format: date-time
             * @description When the first seat's time runs out (M15, M19); null: nobody's time runs.
             */
            deadline: string | null;
            /** @description Who holds each seat. */
            seats: components["schemas"]["Seat"][];
            /** @description The end; null without one, and of matches that ended before lists told it. */
            outcome: components["schemas"]["Outcome"] | null;
            /** @description The match that this one follows; open seats are kept for those who played it (M20). */
            rematch_of?: components["schemas"]["MatchId"];
            /** @description True: the humans draw together (M19); otherwise left out. */
            joint_entropy?: boolean;
            /** @description Only of a fork. */
            forked_from?: components["schemas"]["ForkedFrom"];
            /**
             * Format: date-time
             * @description When it was imported; only of a match played elsewhere.
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
            /** @description The id of the message; null where it cannot be read. */
            id: string | number | null;
            /** @description What the method answers. */
            result?: {
                [key: string]: unknown;
            };
            /** @description Why it does not. */
            error?: components["schemas"]["McpError"];
        };
        /** @description Why a message has no result (JSON-RPC 2.0). */
        McpError: {
            /** @description What is wrong, for programs. */
            code: number;
            /** @description What is wrong. */
            message: string;
            /** @description More about it. */
            data?: {
                [key: string]: unknown;
            };
        };
        /** @description A message of the Model Context Protocol, which is one of JSON-RPC 2.0. */
        McpMessage: {
            /**
             * @description The version of JSON-RPC.
             * @constant
             */
            jsonrpc: "2.0";
            /** @description Comes again in the answer; left out of a notification. */
            id?: string | number;
            /** @description What is asked for, such as `tools/call`. */
            method: string;
            /** @description What the method takes, and `_meta`. */
            params?: {
                [key: string]: unknown;
            };
        };
        /** @description A version, or a time (RFC 3339). */
        Moment: number | string;
        /** @description A move of a game, distinguished by `type`. */
        Move: components["schemas"]["CalimalaMove"] | components["schemas"]["FirenzeMove"];
        /** @description How much time the seats have (M15). */
        NewClock: {
            /** @description How many seconds each seat has. */
            bank_s: number;
            /** @description How many seconds are added after a turn of one's own. */
            move_s: number;
            /** @description Which bot stands in when a bank is empty. */
            level: components["schemas"]["BotLevel"];
        };
        /** @description A new webhook. */
        NewHook: {
            /** @description The address that is called. */
            url: string;
            /** @description What it is called for. */
            on: string[];
            /** @description How the last call went: a status of HTTP, or what went wrong; empty before the first. */
            answer: string;
            /** @description How many calls have failed since the last that was received. */
            tries: number;
            /**
             * Format: date-time
             * @description When the next one is made, after one that has failed.
             */
            again: string | null;
            /**
             * @description gone: the address answered 410. given up: it failed for three days, and ten times.
             * @enum {string}
             */
            ended: "" | "gone" | "given up";
            /** @description What signs the calls (Standard Webhooks); no later answer shows it. */
            secret: string;
        };
        /** @description An option whose value is a whole number. */
        NumberOption: {
            /** @description Its name. */
            name: string;
            /** @description What it decides. */
            text: string;
            /**
             * @description What its values are. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            kind: "number";
            /** @description The value if none is given. */
            default: number;
            /** @description The least that it may be. */
            least: number;
            /** @description The most that it may be. */
            most: number;
        };
        /** @description A match of Calimala to be opened. */
        OpenCalimalaMatch: {
            /**
             * @description The game's key. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            game: "calimala";
            /** @description How each seat begins, seat 0 first. */
            seats: components["schemas"]["SeatPlan"][];
            /** @description The options to play with; what is left out has its default. */
            options?: components["schemas"]["CalimalaOptions"];
            /** @description A private match shows itself only to its tokens. `public` by default. */
            visibility?: components["schemas"]["Visibility"];
            /** @description A clock (M15). Left out: everybody has all the time there is. */
            clock?: components["schemas"]["NewClock"];
            /** @description Whether humans may ask for advice (M14); it takes `strong` bots. */
            advice?: boolean;
            /**
             * @description Which moves can be taken back (M17). off, the default: none. own: a seat's own of one turn. consent: all, if all humans agree.
             * @enum {string}
             */
            take_back?: "off" | "own" | "consent";
            /** @description What to go on from (M21); to fork one's own match, send its token. */
            fork?: components["schemas"]["Fork"];
            /** @description Whether the humans draw together: all pledge, then disclose (M19). */
            joint_entropy?: boolean;
            /** @description Fixes every draw; taken only by a server that is set up for it. */
            seed?: string;
        };
        /** @description A match of Firenze to be opened. */
        OpenFirenzeMatch: {
            /**
             * @description The game's key. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            game: "firenze";
            /** @description How each seat begins, seat 0 first. */
            seats: components["schemas"]["SeatPlan"][];
            /** @description The options to play with; what is left out has its default. */
            options?: components["schemas"]["FirenzeOptions"];
            /** @description A private match shows itself only to its tokens. `public` by default. */
            visibility?: components["schemas"]["Visibility"];
            /** @description A clock (M15). Left out: everybody has all the time there is. */
            clock?: components["schemas"]["NewClock"];
            /** @description Whether humans may ask for advice (M14); it takes `strong` bots. */
            advice?: boolean;
            /**
             * @description Which moves can be taken back (M17). off, the default: none. own: a seat's own of one turn. consent: all, if all humans agree.
             * @enum {string}
             */
            take_back?: "off" | "own" | "consent";
            /** @description What to go on from (M21); to fork one's own match, send its token. */
            fork?: components["schemas"]["Fork"];
            /** @description Whether the humans draw together: all pledge, then disclose (M19). */
            joint_entropy?: boolean;
            /** @description Fixes every draw; taken only by a server that is set up for it. */
            seed?: string;
        };
        /** @description A match to be opened, distinguished by `game`. */
        OpenMatch: components["schemas"]["OpenCalimalaMatch"] | components["schemas"]["OpenFirenzeMatch"];
        /** @description A seat that anybody may take. */
        OpenSeat: {
            /**
             * @description How the seat begins. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            kind: "open";
        };
        /** @description A new match of Calimala with its tokens. */
        OpenedCalimalaMatch: components["schemas"]["CalimalaMatch"] & {
            /** @description Bearer tokens by whose they are: owner, spectator, invitation, seat:0, seat:1, ... */
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
            /** @description Bearer tokens by whose they are: owner, spectator, invitation, seat:0, seat:1, ... */
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
        /** @description A new match with its tokens, which no later answer shows. Distinguished by `game`. */
        OpenedMatch: components["schemas"]["OpenedCalimalaMatch"] | components["schemas"]["OpenedFirenzeMatch"];
        /** @description An option of a game, distinguished by `kind`. */
        Option: components["schemas"]["ChoiceOption"] | components["schemas"]["FlagOption"] | components["schemas"]["NumberOption"] | components["schemas"]["DataOption"];
        /** @description What an option holds that is data: one of what the games know. */
        OptionData: components["schemas"]["FirenzeBoard"];
        /** @description When a match was imported, and by whom. What its record says of times and players is the word of the record's maker. */
        Origin: {
            /**
             * Format: date-time
             * @description When it was imported.
             */
            at: string;
            /** @description `command line`, or the first 16 hex digits of the SHA-256 of the operator's token. */
            by: string;
        };
        /** @description The end: points and rank by seat; 1 is best, ranks may be shared. */
        Outcome: {
            /** @description The points of each seat, by seat. */
            points: number[];
            /** @description The rank of each seat, by seat. */
            ranks: number[];
            /** @description The seats that bots played at the end in place of humans (M8, M15, M16). Left out if there are none. By match rules 1 without those that the owner replaced. */
            stood_in_for?: number[];
            /** @description The seats that resigned, in that order. They rank below all others (M16). Left out if there are none, and by match rules 1. */
            resigned?: number[];
        };
        /** @description One wrong place of a request. */
        Place: {
            /** @description A JSON pointer into the body. Beside `parameter`: ?name or a header; it will go. */
            pointer: string;
            /** @description A query parameter or a header. */
            parameter?: string;
            /** @description What would be right there. */
            detail: string;
        };
        /** @description Who plays again. */
        PlayAgain: {
            /** @description Bytes in hex that go into the seed of every draw (M10). */
            entropy?: string;
            /** @description A key that signs for the seat (M18); it stays in the history. */
            key?: string;
            /** @description The key's signature over the new match, seat and head hash (M18). */
            proof?: string;
            /** @description What the human pledges where all draw together: `digest` (M19). */
            pledge?: string;
        };
        /** @description A match in which a player sat to the end. */
        PlayedMatch: {
            /** @description The match. */
            match: components["schemas"]["MatchSummary"];
            /** @description The player's seat. */
            seat: number;
            /**
             * Format: date-time
             * @description When its game ended.
             */
            ended: string;
            /** @description Why it is not rated; null: it is. */
            why_not_rated: ("fork" | "no_result" | "stand_in" | "known_seed" | "advice" | "take_back" | "no_key" | "no_clock" | "one_player") | null;
        };
        /** @description What is public of a player. */
        Player: {
            /** @description A public key, or `bot:` and a level. */
            player: string;
            /** @description The name last given; null: none is kept. */
            name: string | null;
            /** @description The ratings, game by game. */
            ratings: components["schemas"]["GameRating"][];
            /** @description A page of public matches with this key, last ended first; the header Link leads on. */
            matches: components["schemas"]["PlayedMatch"][];
        };
        /** @description A pledge of entropy (M19). */
        Pledge: {
            /** @description SHA-256 of the canonical JSON of `entropy`, 32 random bytes in hex, and `seat`, its number. */
            digest: string;
        };
        /** @description What a move would cause. Distinguished by `rules`. */
        Preview: components["schemas"]["Calimala1Preview"] | components["schemas"]["Firenze1Preview"];
        /** @description What would happen in a match of any game. */
        PreviewedEvent: components["schemas"]["Calimala1PreviewedEvent"] | components["schemas"]["Firenze1PreviewedEvent"];
        /** @description What went wrong (RFC 9457); `type` leads to a page about it. The rest depends on the type. */
        Problem: {
            /** @description The path of a page about this kind of problem. */
            type: string;
            /** @description What kind of problem it is. */
            title: string;
            /** @description The status of the answer. */
            status: number;
            /** @description What went wrong this time, and what would be right. */
            detail: string;
            /** @description The wrong places of the request, 20 at most. */
            errors?: components["schemas"]["Place"][];
            /** @description How many more places are wrong, beyond those in `errors`. */
            more?: number;
            /** @description Why a move is refused, or what is wrong with a record, for programs. */
            code?: string;
            /** @description What the key of the seat is to sign (M18). */
            to_sign?: string;
            /** @description The first commit of a record that is wrong. */
            commit?: number;
            /** @description The number of the broken rule. */
            rule?: string;
            /** @description Where the rule is. */
            rule_url?: string;
            /** @description Where to find what the seat may do. */
            legal_moves?: string;
            /** @description Where the match is. */
            version?: number;
            /** @description The version that If-Match named. */
            expected?: number;
            /** @description What has happened since, the first. */
            commits?: components["schemas"]["Commit"][];
            /** @description Where to find all that has happened since. */
            commits_url?: string;
        };
        /** @description The strength of a player at a game, by the model that the ladder names. */
        Rating: {
            /** @description How good; a beginner has 25. */
            mean: number;
            /** @description The standard deviation of that. */
            uncertainty: number;
            /** @description The mean less three of those; the ladder is ordered by it. */
            ordinal: number;
            /** @description How many matches were rated. */
            matches: number;
        };
        /** @description A rating after a match. */
        RatingAfter: {
            /** @description The match's id. */
            match: components["schemas"]["MatchId"];
            /**
             * Format: date-time
             * @description When its game ended.
             */
            ended: string;
            /** @description The rating. */
            rating: components["schemas"]["Rating"];
        };
        /** @description Whether matches can move on. */
        Ready: {
            /**
             * @description ok or unready
             * @enum {string}
             */
            status: "ok" | "unready";
            /** @description What fails, by what was checked. */
            checks?: {
                [key: string]: string;
            };
            /** @description What is slow or missing, although matches can move on. */
            warnings?: {
                [key: string]: string;
            };
        };
        /** @description The server's word that it accepted a commit. It is signed with Ed25519 over the canonical JSON of the other fields. */
        Receipt: {
            /** @description The match's id. */
            match: components["schemas"]["MatchId"];
            /** @description The version that the commit made. */
            version: number;
            /** @description The commit's hash. */
            hash: string;
            /**
             * Format: date-time
             * @description When it was made.
             */
            time: string;
            /** @description The id of the key. */
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
            /** @description The version that the commit made. */
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
             * @description When the commit was made.
             */
            time: string;
            /**
             * @description Always giornale.commit.
             * @constant
             */
            type: "giornale.commit";
        };
        /** @description The match that follows another one (M20), and what its caller holds there. */
        Rematch: {
            /** @description The new match's id. */
            match: components["schemas"]["MatchId"];
            /** @description Where it stands: running once all humans have come. */
            status: components["schemas"]["MatchStatus"];
            /** @description The caller's seat; null for the owner. */
            seat: number | null;
            /** @description The caller's bearer tokens by whose they are: the seat's; or owner and invitation. */
            tokens: {
                [key: string]: string;
            };
        };
        /** @description What an audit found. */
        Report: {
            /** @description Whether nothing is wrong, as far as it was checked. */
            ok: boolean;
            /**
             * @description right: all was checked; partly_checked: all that could be checked is right; wrong.
             * @enum {string}
             */
            verdict: "right" | "partly_checked" | "wrong";
            /** @description What is wrong; null: nothing is. */
            wrong: components["schemas"]["Fault"] | null;
            /** @description The match's id. */
            match: components["schemas"]["MatchId"];
            /** @description The game's key. */
            game: string;
            /** @description The rules version. */
            rules: string;
            /** @description How many commits were checked. */
            commits: number;
            /** @description The hash of the last one. */
            hash: string;
            /** @description Where the match stands, as worked out; empty if it could not be. */
            status: string;
            /** @description The end; null: there is none yet. */
            outcome: components["schemas"]["Outcome"] | null;
            /** @description Whether secret parts were missing. */
            redacted: boolean;
            /** @description Whether the history is whole: its secrets are revealed. */
            ended: boolean;
            /** @description How many commits were folded. */
            folded: number;
            /** @description How many of them were decided again. */
            decided: number;
            /** @description How many are signed by the key of their seat; left out if none. */
            signed?: number;
            /** @description What could not be checked, why. */
            unchecked: string[];
            /** @description What no check can tell, for people. */
            notes: string[];
        };
        /** @description The log of this server, if a reader of another one asks. The stream ends with it. */
        RewrittenLog: {
            /** @description ID of the log. */
            log: string;
        };
        /** @description How far a match has gone back with its journal. The stream ends with it. */
        RewrittenMatch: {
            /** @description The match's version now. */
            version: number;
        };
        /** @description Whose token is to be replaced. */
        Rotate: {
            /** @description The caller's own if left out. */
            holder?: string;
        };
        /** @description Who holds a seat; absent: a bot stands in for its human. */
        Seat: {
            /** @description The number of the seat. */
            seat: number;
            /**
             * @description Who holds it.
             * @enum {string}
             */
            kind: "human" | "bot" | "open";
            /** @description The bot's level. */
            level?: components["schemas"]["BotLevel"];
            /** @description The human's name. */
            name?: string;
            /** @description The key that signs what the human does (M18). */
            key?: string;
            /**
             * @description What the human still owes before the start, until `deadline` (M19).
             * @enum {string}
             */
            owes?: "pledge" | "disclosure";
            /** @description True: a bot stands in for its human; otherwise left out. */
            absent?: boolean;
            /**
             * @description Only where a bot stands in: the human's time ran out (M15), the human resigned (M16), or the owner has replaced them (M8).
             * @enum {string}
             */
            absent_because?: "time_ran_out" | "resigned" | "replaced";
            /** @description True: the human may play on by `POST /v1/matches/{match}/return` (M8, M15); otherwise left out. */
            may_return?: boolean;
        };
        /** @description How a seat begins, distinguished by `kind`. */
        SeatPlan: components["schemas"]["HumanSeat"] | components["schemas"]["BotSeat"] | components["schemas"]["OpenSeat"];
        /** @description An event in English. */
        Sentence: {
            /** @description A sentence, or several where one would be too long. */
            text: string;
            /** @description The rules that decided what happened. */
            rules: string[];
            /** @description Only where something begins. */
            heading?: components["schemas"]["Heading"];
        };
        /** @description The match at a version, as the caller may see it. Distinguished by `game`. */
        State: components["schemas"]["CalimalaState"] | components["schemas"]["FirenzeState"];
        /** @description A page of the states of a match, oldest first; the header Link leads on. */
        StateList: {
            /** @description The match's id. */
            match: components["schemas"]["MatchId"];
            /** @description The states, one for each version. */
            states: components["schemas"]["State"][];
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
            /** @description The version that it made. */
            version: number;
            /**
             * Format: date-time
             * @description When it was made.
             */
            time: string;
            /** @description Who made it. */
            actor: string;
            /** @description The type of its command. */
            command: string;
            /** @description One for each event. */
            sentences: components["schemas"]["Sentence"][];
            /** @description True: its moves were taken back since (M17); otherwise left out. */
            taken_back?: boolean;
            /** @description Of a seat with a key: whether it has signed this (M18); else left out. */
            signed?: boolean;
        };
        /** @description Which moves can be taken back (M17). */
        TakeBack: {
            /**
             * @description own: a seat takes back its own moves of one turn; consent: all moves can be taken back if all agree.
             * @enum {string}
             */
            option: "own" | "consent";
            /** @description The earliest version to go back to; 0: nothing can be taken back now. */
            earliest: number;
            /** @description Versions after `earliest` at which the house acts. Nobody goes back to them. */
            house_at: number[];
            /** @description The seats that were refused. They ask nobody before the next move of the game. */
            refused: number[];
            /** @description What is asked for; null: nothing. */
            ask: components["schemas"]["TakeBackAsk"] | null;
            /** @description The versions whose moves were taken back; all of them stay in the history. */
            taken_back: number[];
        };
        /** @description What a seat asks to take back (M17). */
        TakeBackAsk: {
            /** @description Who asks. */
            seat: number;
            /** @description The version to go back to. */
            to: number;
            /** @description The other seats that agree so far. */
            agreed: number[];
        };
        /** @description What a bot has thought before a move. */
        Thought: {
            /** @description The version that the move made. */
            version: number;
            /** @description Whose move it was. */
            seat: number;
            /** @description The level of the bot. */
            level: components["schemas"]["BotLevel"];
            /** @description How often the bot has played on in its head. */
            iterations: number;
            /** @description The best moves that it weighed, the one it made first. */
            best: components["schemas"]["Candidate"][];
        };
        /** @description A page of thoughts, oldest first; the header Link leads on. */
        ThoughtList: {
            /** @description The thoughts. */
            thoughts: components["schemas"]["Thought"][];
        };
        /** @description A new token in place of an old one. */
        Token: {
            /** @description Whose token it is. */
            holder: string;
            /** @description The bearer token. */
            token: string;
        };
        /** @description Moves to be tried. */
        TryLine: {
            /** @description The version that the line begins at. */
            version: number;
            /** @description The moves of all seats in turn, each as it may be posted, with its `seat`. What the house does comes by itself. */
            moves: {
                [key: string]: unknown;
            }[];
            /** @description Whose eyes the line is seen with; the caller's if left out. Another seat's only once the match has ended. */
            seat?: number;
            /** @description What all draws follow from: the same line with another seed is another course of chance. */
            seed?: string;
        };
        /** @description A turn in which much changed. */
        TurningPoint: {
            /** @description Where the turn began. */
            from: number;
            /** @description Where the next one began. */
            to: number;
            /** @description The seat whose chance changed the most. */
            seat: number;
            /** @description Its chance to win before the turn. */
            chance_before: number;
            /** @description Its chance to win after it. */
            chance_after: number;
        };
        /**
         * @description Who may see a match: anybody, or the bearers of its tokens.
         * @enum {string}
         */
        Visibility: "public" | "private";
        /** @description Whom the match waits for: the house, or seats, some of them bots'. */
        WaitingFor: {
            /** @description Whether the house must act. */
            house: boolean;
            /** @description The seats that may act, or owe something before the start (M19). */
            seats: number[];
            /** @description Those of them that bots hold. */
            bots?: number[];
        };
        /** @description Which address is called, and for what. */
        Webhook: {
            /** @description The address that is called. Its port is 443, or one from 1024 upward. */
            url: string;
            /** @description turn: it is the seat's turn. take_back: its consent is awaited. ended: the match has ended. */
            on: ("turn" | "take_back" | "ended")[];
        };
    };
}
export type Advice = components['schemas']['Advice'];
export type AskTakeBack = components['schemas']['AskTakeBack'];
export type Audit = components['schemas']['Audit'];
export type Beside = components['schemas']['Beside'];
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
export type Match = components['schemas']['Match'];
export type MatchId = components['schemas']['MatchId'];
export type MatchList = components['schemas']['MatchList'];
export type MatchNews = components['schemas']['MatchNews'];
export type MatchStatus = components['schemas']['MatchStatus'];
export type MatchSummary = components['schemas']['MatchSummary'];
export type McpAnswer = components['schemas']['McpAnswer'];
export type McpError = components['schemas']['McpError'];
export type McpMessage = components['schemas']['McpMessage'];
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
export type Origin = components['schemas']['Origin'];
export type Outcome = components['schemas']['Outcome'];
export type Place = components['schemas']['Place'];
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
export type Rotate = components['schemas']['Rotate'];
export type Seat = components['schemas']['Seat'];
export type SeatPlan = components['schemas']['SeatPlan'];
export type Sentence = components['schemas']['Sentence'];
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
export type ResponseBusyOrRequestInProgressOrRulesUnknown = components['responses']['BusyOrRequestInProgressOrRulesUnknown'];
export type ResponseBusyOrRulesUnknown = components['responses']['BusyOrRulesUnknown'];
export type ResponseCrossSite = components['responses']['CrossSite'];
export type ResponseForbidden = components['responses']['Forbidden'];
export type ResponseForbiddenOrCrossSite = components['responses']['ForbiddenOrCrossSite'];
export type ResponseIllegalMove = components['responses']['IllegalMove'];
export type ResponseIllegalMoveOrBusyOrRequestInProgressOrRulesUnknown = components['responses']['IllegalMoveOrBusyOrRequestInProgressOrRulesUnknown'];
export type ResponseIllegalMoveOrRequestInProgressOrRulesUnknown = components['responses']['IllegalMoveOrRequestInProgressOrRulesUnknown'];
export type ResponseIllegalMoveOrRulesUnknown = components['responses']['IllegalMoveOrRulesUnknown'];
export type ResponseInternal = components['responses']['Internal'];
export type ResponseInvalidRequest = components['responses']['InvalidRequest'];
export type ResponseInvalidRequestOrBadRecord = components['responses']['InvalidRequestOrBadRecord'];
export type ResponseInvalidRequestOrIdempotencyKeyReused = components['responses']['InvalidRequestOrIdempotencyKeyReused'];
export type ResponseInvalidRequestOrSignatureWrong = components['responses']['InvalidRequestOrSignatureWrong'];
export type ResponseInvalidRequestOrSignatureWrongOrIdempotencyKeyReused = components['responses']['InvalidRequestOrSignatureWrongOrIdempotencyKeyReused'];
export type ResponseJournalUnavailableOrOverloaded = components['responses']['JournalUnavailableOrOverloaded'];
export type ResponseMade = components['responses']['Made'];
export type ResponseMalformedJson = components['responses']['MalformedJson'];
export type ResponseMatchDeleted = components['responses']['MatchDeleted'];
export type ResponseMatchExists = components['responses']['MatchExists'];
export type ResponseMisdirected = components['responses']['Misdirected'];
export type ResponseNotAcceptable = components['responses']['NotAcceptable'];
export type ResponseNotFound = components['responses']['NotFound'];
export type ResponseNotModified = components['responses']['NotModified'];
export type ResponsePreconditionRequired = components['responses']['PreconditionRequired'];
export type ResponseRateLimited = components['responses']['RateLimited'];
export type ResponseRateLimitedOrTooManyStreams = components['responses']['RateLimitedOrTooManyStreams'];
export type ResponseRulesUnknown = components['responses']['RulesUnknown'];
export type ResponseSlowBody = components['responses']['SlowBody'];
export type ResponseStaleVersion = components['responses']['StaleVersion'];
export type ResponseTooLarge = components['responses']['TooLarge'];
export type ResponseUnauthorized = components['responses']['Unauthorized'];
export type ResponseUnsupportedMediaType = components['responses']['UnsupportedMediaType'];
export type ParameterAfter = components['parameters']['After'];
export type ParameterFrom = components['parameters']['From'];
export type ParameterGame = components['parameters']['Game'];
export type ParameterHolder = components['parameters']['Holder'];
export type ParameterIdempotencyKey = components['parameters']['IdempotencyKey'];
export type ParameterIfMatch = components['parameters']['IfMatch'];
export type ParameterIfNoneMatch = components['parameters']['IfNoneMatch'];
export type ParameterLimit = components['parameters']['Limit'];
export type ParameterMatch = components['parameters']['Match'];
export type ParameterNumber = components['parameters']['Number'];
export type ParameterPlayer = components['parameters']['Player'];
export type ParameterSeat = components['parameters']['Seat'];
export type ParameterSecretIdempotencyKey = components['parameters']['SecretIdempotencyKey'];
export type ParameterSignature = components['parameters']['Signature'];
export type ParameterTo = components['parameters']['To'];
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
export type HeaderRateLimit = components['headers']['RateLimit'];
export type HeaderRateLimitPolicy = components['headers']['RateLimit-Policy'];
export type HeaderRetryAfter = components['headers']['Retry-After'];
export type HeaderVary = components['headers']['Vary'];
export type HeaderWwwAuthenticate = components['headers']['WWW-Authenticate'];
export type HeaderXRequestId = components['headers']['X-Request-Id'];
